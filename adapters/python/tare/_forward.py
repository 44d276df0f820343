"""Forward passes, the clock of programs that only predict.

`Module.__call__` becomes an attribute that returns the same function, and notices each look-up, which
happens once per call: nothing of ours is on the stack while the model runs. One of the called modules
is the model: the first, which contains the others. Another module takes its place when it is called
from outside of all modules. When an optimizer or a backward pass ticks, or torch.compile is used, the
function is restored.
"""
import sys
from _weakref import ref

from . import _probe
from ._clocks import MODEL, PREDICT

_hook = None


class _Called:
    """In the place of Module.__call__."""

    def __init__(self, kind):
        self.kind, self.function = kind, kind.__dict__["__call__"]
        self._model = lambda: None
        self._first = True  # a single call may be the beginning of training: it waits for the next
        self._others = 0    # calls of other modules since the model's last call
        self._looking = True  # for a call from outside of all modules

    def _is_inside(self):
        """Does a module wait for the call that is about to be made?"""
        code = self.function.__code__
        frame = sys._getframe(3)  # pylint: disable=protected-access
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        return frame is not None

    def _other(self, module):
        """Examining the stack costs more than counting: it starts at the 8th, 16th, 32nd … call after the
        model's call, and ends with a call from outside, whose module is the model from then on.
        """
        self._others += 1
        if self._others >= 8 and self._others & (self._others - 1) == 0 or self._model() is None:
            self._looking = True
        if self._looking and not self._is_inside():
            self._model, self._first = ref(module), True
            self._others, self._looking = 0, False
            _probe.tick(MODEL)

    def __get__(self, module, owner=None):
        if module is not None:
            if self._model() is module:
                self._others, self._looking = 0, False
                if self._first:
                    self._first = False
                    _probe.tick(PREDICT)
                _probe.tick(PREDICT)
            else:
                self._other(module)
        return self.function.__get__(module, owner)

    def remove(self):
        """Restores the class, unless the program has replaced the attribute."""
        if self.kind.__dict__.get("__call__") is self:
            self.kind.__call__ = self.function


def module(torch_module):
    """torch.nn.modules.module is there."""
    global _hook  # pylint: disable=global-statement
    _hook = _Called(torch_module.Module)
    torch_module.Module.__call__ = _hook


def stop(_=None):
    """There is a better clock, or a compiler that examines functions."""
    global _hook  # pylint: disable=global-statement
    if _hook is not None:
        _hook.remove()
        _hook = None
