"""Forward passes, the clock of programs that only predict.

`Module.__call__` becomes an attribute that gives the very same function, and is told each time that
Python looks it up, which is once per call: nothing of ours is on the stack while the model runs. Of
the modules that are called one is the model: the first, within which the others are. It is the first
in its place when a call of another one is seen that no module has made. As soon as an optimizer or a
backward pass speaks, or torch.compile comes, the function is put back as it was.
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
        self._others = 0    # calls of other modules since the last of the model's
        self._looking = True  # for a call that no module has made

    def _is_inside(self):
        """Does a module wait for the call that is about to be made?"""
        code = self.function.__code__
        frame = sys._getframe(3)  # pylint: disable=protected-access
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        return frame is not None

    def _other(self, module):
        """A look costs more than a count: it begins with the 8th, the 16th, the 32nd … call since
        the model's, and ends with a call from outside, which is the model's or makes its module it.
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
        """As if it had never been there, unless somebody has put his own in its place."""
        if self.kind.__dict__.get("__call__") is self:
            self.kind.__call__ = self.function


def module(torch_module):
    """torch.nn.modules.module is there."""
    global _hook  # pylint: disable=global-statement
    _hook = _Called(torch_module.Module)
    torch_module.Module.__call__ = _hook


def stop(_=None):
    """There is a better clock, or somebody who looks closely at functions."""
    global _hook  # pylint: disable=global-statement
    if _hook is not None:
        _hook.remove()
        _hook = None
