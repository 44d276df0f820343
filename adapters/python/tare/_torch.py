"""PyTorch's clocks: optimizer steps, backward passes, batches and epochs of a loader, models.

None of them wraps a function of the framework: a wrapper would appear in every traceback, and would
disturb torch.compile. Hooks of the framework are used where they exist, elsewhere an attribute that is
looked up once per event. Forward passes are in _forward.py.
"""
from _weakref import ref

from . import _devices, _forward, _probe
from ._clocks import BACKWARD, EPOCH, LOADER, MODEL, OPTIMIZER

PATIENCE = 32  # steps of one optimizer without one of the leader, after which it leads


class Leader:
    """Of several optimizers (a GAN's two, one per parameter) one gives the clock: the first.

    When it is gone the next takes its place; also when it still exists but rests while another one
    works, as with optimizers that are replaced and never freed.
    """

    def __init__(self):
        self._leader = lambda: None
        self._others = {}  # id: its steps since the leader's last step
        self._weight = lambda: None  # a parameter of the model that is being trained

    def _gives_up(self, other):
        steps = self._others.get(id(other), 0) + 1
        if steps >= PATIENCE or len(self._others) >= 4096:
            return True
        self._others[id(other)] = steps
        return False

    def _leads(self, optimizer):
        """A new leader that trains other parameters than the one before it has a new model."""
        groups = getattr(optimizer, "param_groups", None)
        weight = groups[0]["params"][0] if groups and groups[0]["params"] else None
        if weight is not None and self._weight() is not weight:
            self._weight = ref(weight)
            _probe.tick(MODEL)

    def stepped(self, optimizer):
        """This one has taken a step."""
        leader = self._leader()
        if leader is not optimizer:
            if leader is not None and not self._gives_up(optimizer):
                return
            self._leader = ref(optimizer)
            self._leads(optimizer)
        if self._others:
            self._others.clear()
        _probe.tick(OPTIMIZER)


_leader = Leader()


def _compiling():
    """Is torch.compile reading this? It understands the question and drops the rest."""
    import torch  # pylint: disable=import-outside-toplevel,import-error
    compiler = getattr(torch, "compiler", None)
    ask = getattr(compiler, "is_compiling", None)
    return ask is not None and ask()


def _after_step(optimizer, *_):
    try:
        if not _compiling():
            _forward.stop()
            _leader.stepped(optimizer)
            _devices.stepped(optimizer)
    except Exception:  # pylint: disable=broad-except
        pass


def _wrap_step(optimizer_class):
    """Before 2.0 there is no hook; torch itself wraps the class's step when it is first used."""
    prepare = optimizer_class._hook_for_profile  # pylint: disable=protected-access

    def _hook_for_profile(self):
        prepare(self)
        step = type(self).step
        if getattr(step, "_tare", False):
            return

        def wrapper(self, *args, **kwargs):
            result = step(self, *args, **kwargs)
            _after_step(self)
            return result

        wrapper.__dict__.update(step.__dict__, __wrapped__=step, _tare=True)
        wrapper.__name__, wrapper.__qualname__ = step.__name__, step.__qualname__
        wrapper.__module__, wrapper.__doc__ = step.__module__, step.__doc__
        type(self).step = wrapper

    optimizer_class._hook_for_profile = _hook_for_profile  # pylint: disable=protected-access


def optimizer(module):
    """torch.optim.optimizer is there."""
    register = getattr(module, "register_optimizer_step_post_hook", None)
    if register is not None:
        register(_after_step)
    else:
        _wrap_step(module.Optimizer)


def variable(module):
    """torch.autograd.variable is there: its engine's method is looked up once per backward pass."""
    engine = module.Variable._execution_engine  # pylint: disable=protected-access
    kind = type(engine)

    def run_backward(_):
        _forward.stop()
        _probe.tick(BACKWARD)
        return engine.run_backward

    module.Variable._execution_engine = type(kind.__name__, (kind,), {  # pylint: disable=protected-access
        "__module__": kind.__module__,
        "run_backward": property(run_backward),
    })()


class _Counter:  # pylint: disable=too-few-public-methods
    """An ordinary attribute of the instance that counts from 0; each count is a batch.

    The first batch begins an epoch: an iterator without a batch is not an epoch.
    """

    def __init__(self, name):
        self._name = name

    def __get__(self, instance, owner=None):
        try:
            return instance.__dict__[self._name]
        except (KeyError, AttributeError):
            raise AttributeError(self._name) from None

    def __set__(self, instance, value):
        instance.__dict__[self._name] = value
        if value:
            if value == 1:
                _probe.tick(EPOCH)
            _probe.tick(LOADER)


def dataloader(module):
    """torch.utils.data.dataloader is there: its iterators count the batches that they give."""
    module._BaseDataLoaderIter._num_yielded = _Counter("_num_yielded")  # pylint: disable=protected-access
