"""Mark where a step ends, and name a part of the work.

    import tare

    for batch in loader:
        train(batch)
        tare.step()

    with tare.scope("eval"):
        evaluate(model)

Under `tare run` this package is found without being installed, unless the program has a module of
that name. Without the probe both calls do nothing.
"""
import sys

from . import _probe
from ._clocks import MARK

__all__ = ["step", "scope", "active", "lines", "report"]


def active():
    """Is the probe in this process?"""
    return _probe.present


def step():
    """A step of the work has ended here."""
    _probe.tick(MARK)


class scope:  # pylint: disable=invalid-name
    """What is allocated inside `with tare.scope(name):` belongs to `name`. Scopes nest."""

    def __init__(self, name):
        self._name = _probe.text(name)

    def __enter__(self):
        _probe.scope_begin(self._name)
        return self

    def __exit__(self, *error):
        _probe.scope_end()


def lines(function):
    """Measures a function line by line, from its next call on: `@tare.lines`. The function stays the same.

    `tare lines DIR`, or the end of `tare lines -- python …`, shows the table.
    """
    if _probe.present:
        _shared("_lines").mark(function)
    return function


def _shared(name):
    """A module of this package, of which the process must have only one."""
    from importlib import import_module  # pylint: disable=import-outside-toplevel
    return import_module(("_tare." if "_tare" in sys.modules else __name__ + ".") + name)


def report():
    """What tare has found so far, as the JSON report has it: dictionaries, lists and numbers.

    Without the probe there is nothing to report: None.
    """
    if not _probe.present:
        return None
    return _shared("_doctor").report()


def load_ipython_extension(shell):
    """`%load_ext tare`"""
    from . import _notebook  # pylint: disable=import-outside-toplevel
    _notebook.load(shell)
