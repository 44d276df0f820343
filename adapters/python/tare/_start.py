"""What happens at the interpreter's start: say hello to the probe, and wait for frameworks."""
import sys

from . import _imports, _probe


def _optimizer(module):
    from . import _torch
    _torch.optimizer(module)


def _variable(module):
    from . import _torch
    _torch.variable(module)


def _dataloader(module):
    from . import _torch
    _torch.dataloader(module)


def _callback_list(module):
    from . import _keras
    _keras.callback_list(module)


HOOKS = {
    "torch.optim.optimizer": _optimizer,
    "torch.autograd.variable": _variable,
    "torch.utils.data.dataloader": _dataloader,
    "keras.src.callbacks.callback_list": _callback_list,
}


def start(package):
    """Nothing at all where the probe is not in the process."""
    if not _probe.present:
        return
    _imports.watch(package, HOOKS)
    _probe.hello(_probe.text("python %d.%d.%d: adapter loaded" % sys.version_info[:3]))
