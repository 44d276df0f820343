"""Keras 3: training batches, predicted batches, optimizer steps of eager loops, models built."""
import sys

from . import _frameworks, _probe, _registries
from ._callers import frames
from ._clocks import BATCH, MODEL, OPTIMIZER, PREDICT
from ._torch import Leader

MOST_STEPS = 1024  # steps of one execution that are ticked one by one


def _batch_ended(callbacks):
    """One execution may be several batches."""
    steps = getattr(getattr(callbacks, "_model", None), "steps_per_execution", 1)
    for _ in range(min(steps, MOST_STEPS) if isinstance(steps, int) and steps > 0 else 1):
        _probe.tick(BATCH)
    _registries.look()


def _predicted(_):
    _probe.tick(PREDICT)
    _registries.look()


def callback_list(module, batch_ended=_batch_ended):
    """Hook: keras.src.callbacks.callback_list was imported."""
    _frameworks.on_call(module.CallbackList, "on_train_batch_end", batch_ended)
    _frameworks.on_call(module.CallbackList, "on_predict_batch_end", _predicted)


def train_function_wanted(_):
    """fit() asks once, train_on_batch() each time."""
    if sys._getframe(2).f_code.co_name == "train_on_batch":  # pylint: disable=protected-access
        _probe.tick(BATCH)
        _registries.look()


def trainer(module):
    """keras.src.backend.tensorflow.trainer is there."""
    _frameworks.on_call(module.TensorFlowTrainer, "make_train_function", train_function_wanted)


def _is_eager():
    context = sys.modules.get("tensorflow.python.eager.context")
    return context is None or context.executing_eagerly()


class Eager(Leader):
    """Several optimizers give one clock; inside a trace no step is taken."""

    def _leads(self, optimizer):
        """Models are seen when they are made."""

    def applied(self, optimizer):
        """Gradients are about to be applied."""
        if _is_eager():
            self.stepped(optimizer)
            _registries.look()


def base_optimizer(module):
    """keras.src.optimizers.base_optimizer is there."""
    _frameworks.on_call(module.BaseOptimizer, "_backend_apply_gradients", Eager().applied)


class _Made:  # pylint: disable=too-few-public-methods
    """`__new__` of the class of all models, looked up when one is made."""

    def __init__(self, function):
        self._function = function
        self._code = getattr(getattr(function, "__func__", function), "__code__", None)
        self._kind = None

    def of(self, kind):
        """The class it belongs to."""
        self._kind = kind
        return self

    def __get__(self, instance, owner=None):
        try:
            if not self._is_part():
                _registries.between_models()
                _probe.tick(MODEL)
                _registries.look()
        except Exception:  # pylint: disable=broad-except
            pass
        return self._function.__get__(instance, owner)

    def _is_part(self):
        """Is it made by another model, or is the method at work for it already?"""
        for frame in frames(2):
            code = frame.f_code
            if code is self._code:
                return True
            if code.co_varnames[:1] == ("self",) and \
                    isinstance(frame.f_locals.get("self"), self._kind):
                return True
        return False


def model(module):
    """keras.src.models.model is there."""
    kind = module.Model
    kind.__new__ = _Made(kind.__dict__["__new__"]).of(kind)
