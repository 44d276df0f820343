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


def start(package):
    """Nothing at all where the probe is not in the process."""
    if not _probe.present:
        return
    _imports.watch(package, HOOKS)
    atexit.register(_probe.end)  # the first to be registered is the last to run
    _probe.hello(_probe.text("python %d.%d.%d: adapter loaded" % sys.version_info[:3]))
    _imports.forget()
