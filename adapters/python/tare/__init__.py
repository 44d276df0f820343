"""Tell tare where a step ends, and what a piece of the work is called.

    import tare

    for batch in loader:
        train(batch)
        tare.step()

    with tare.scope("eval"):
        evaluate(model)

Under `tare run` this package is found without being installed, unless the program has a module of
that name. Without the probe both calls do nothing.
"""
from . import _probe
from ._clocks import MARK

__all__ = ["step", "scope", "active"]


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
