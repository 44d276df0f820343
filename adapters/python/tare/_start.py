"""What happens at the interpreter's start: say hello to the probe, and wait for frameworks."""
import atexit
import sys

from . import _imports, _probe


HOOKS = {
    "torch.optim.optimizer": ("_torch", "optimizer"),
    "torch.autograd.variable": ("_torch", "variable"),
    "torch.utils.data.dataloader": ("_torch", "dataloader"),
    "keras.src.callbacks.callback_list": ("_keras", "callback_list"),
}


def _end():
    """The last round. Before 3.10 the probe cannot switch on a collector that is switched off."""
    if sys.version_info >= (3, 10):
        _probe.end()
        return
    import gc  # pylint: disable=import-outside-toplevel
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        _probe.end()
    finally:
        if not was_enabled:
            gc.disable()


def start(package):
    """Nothing at all where the probe is not in the process."""
    if not _probe.present:
        return
    _imports.watch(package, HOOKS)
    atexit.register(_end)  # the first to be registered is the last to run
    _probe.hello(_probe.text("python %d.%d.%d: adapter loaded" % sys.version_info[:3]))
    _imports.forget()
