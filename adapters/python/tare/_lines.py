"""Functions measured line by line: which they are, and how the interpreter reports their lines.

The counting is the probe's (src/probe/lines/lines.h). Up to Python 3.11 it sees the lines by itself; from
3.12 on sys.monitoring calls it, which is set up here. A function is marked by its code object, so
that nothing stands in the function's place.
"""
import os
import sys

import _ctypes

from . import _probe
from ._callers import is_library

HOOK, MONITORING = 1, 2


class _Object(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
    """PyObject *"""
    _type_ = "O"


class _Number(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
    """int"""
    _type_ = "i"


class _Door:  # pylint: disable=too-few-public-methods
    """The probe's functions, and how lines are seen; 0: not at all."""
    way = 0

    def __init__(self):
        try:
            begin, self.mark, self.wait_for = _probe.bind(_Number, "lines_begin lines_mark lines_wait_for")
            self.functions, = _probe.bind(_Object, "lines_functions")
            self.clear, self.attend = _probe.bind(None, "lines_clear lines_attend")
            self.way = begin()
        except Exception:  # pylint: disable=broad-except
            pass

    @staticmethod
    def note(text):
        """In the ledger, for the report."""
        _probe.note(text.encode())


_door = None


def _ready():
    global _door  # pylint: disable=global-statement
    if _door is None:
        _door = _Door()
        if _door.way == MONITORING and not _monitor.begin():
            _door.way = 0
    return _door.way != 0


# ---- 3.12 and later ----

class _Monitor:
    """sys.monitoring, with a tool of our own beside the program's."""

    def __init__(self):
        self.tool = None
        self.alone = True  # when other tools use sys.monitoring, local variables are not touched

    def begin(self):
        """False: all tools are taken."""
        monitoring = sys.monitoring
        free = [tool for tool in (4, 3, 2, 1, 0) if monitoring.get_tool(tool) is None]
        if not free:
            _door.note("Lines could not be measured: all tools of sys.monitoring are taken.")
            return False
        self.alone = len(free) == 5 and monitoring.get_tool(5) is None
        self.tool = free[0]
        monitoring.use_tool_id(self.tool, "tare")
        events = monitoring.events
        measured = (events.PY_START, events.PY_RESUME, events.LINE, events.PY_RETURN, events.PY_YIELD,
                    events.PY_UNWIND, events.PY_THROW)
        for event, function in zip(measured, _door.functions(_Object(monitoring.DISABLE))):
            monitoring.register_callback(self.tool, event, function)
        monitoring.set_events(self.tool, events.PY_UNWIND | events.PY_THROW)
        return True

    def watch(self, code):
        """The lines of this function."""
        events = sys.monitoring.events
        sys.monitoring.set_local_events(
            self.tool, code,
            events.PY_START | events.PY_RESUME | events.LINE | events.PY_RETURN | events.PY_YIELD)

    def watch_starts(self):
        """Every function, when it is first called."""
        events = sys.monitoring.events
        sys.monitoring.set_events(self.tool,
                                  events.PY_START | events.PY_UNWIND | events.PY_THROW)
        sys.monitoring.restart_events()


_monitor = _Monitor()


# ---- marking ----

_marked = []  # code objects, compared by identity: a function defined again has an equal one


def _variables(code):
    """How many words of a frame its variables take; -1: they are not to be touched."""
    if not _monitor.alone:
        return -1
    own = set(code.co_varnames)
    return len(code.co_varnames) + len(code.co_freevars) + \
        sum(name not in own for name in code.co_cellvars)


def path_of(code):
    """The source file, as the ledger has it."""
    exists = os.path.exists(code.co_filename)
    return os.path.abspath(code.co_filename) if exists else code.co_filename


def is_marked(code):
    """Is it measured already?"""
    return any(one is code for one in _marked)


def mark_code(code, name):
    """True: it is measured from its next call on."""
    if not _ready():
        return False
    number = _door.mark(_Object(code), name.encode("utf-8", "replace"), os.fsencode(path_of(code)),
                        code.co_firstlineno, _variables(code))
    if number and not is_marked(code):
        _marked.append(code)
        if _door.way == MONITORING:
            _monitor.watch(code)
    return bool(number)


def code_of(function):
    """The code object behind a function, a method, or what a decorator has made of one."""
    for _ in range(32):
        code = getattr(function, "__code__", None)
        if hasattr(code, "co_code"):
            inner = getattr(function, "__wrapped__", None)
            if inner is None:
                return code
            function = inner
            continue
        for name in ("__func__", "python_function", "__wrapped__", "fget", "func"):
            inner = getattr(function, name, None)
            if inner is not None and inner is not function:
                function = inner
                break
        else:
            return None
    return None


def mark(function):
    """Marks a function, and returns it unchanged."""
    code = code_of(function)
    if code is not None:
        mark_code(code, getattr(function, "__qualname__", code.co_name))
        if _monitor.tool is not None:
            sys.monitoring.restart_events()  # it may have been called, and skipped, before
    return function


def clear():
    """Sets the numbers to 0."""
    if _ready():
        _door.clear()


def attend():
    """Gives the doctor the time between two steps that it needs."""
    if _ready():
        _door.attend()


# ---- by name: `tare lines --function …` ----

class _Wanted:
    """`name`, `Class.method`, `module:name` or `module:Class.method`."""

    def __init__(self, text):
        self.module, _, self.path = text.rpartition(":")
        self.parts = self.path.split(".")

    def _is_in_module(self, code, names):
        if not self.module:
            return not is_library(code.co_filename)
        stem = os.path.splitext(os.path.basename(code.co_filename))[0]
        return names.get("__name__") == self.module or \
            (names.get("__name__") == "__main__" and stem == self.module)

    def _qualified(self, code, names):
        """The qualified name; before 3.11 code does not have it, so it is searched for where it should be."""
        whole = getattr(code, "co_qualname", None)
        if whole is not None:
            return whole
        value = names.get(self.parts[0])
        for part in self.parts[1:]:
            value = getattr(value, "__dict__", {}).get(part)
        return self.path if code_of(value) is code or len(self.parts) == 1 else code.co_name

    def answers(self, code, names):
        """The function's whole name if it is the one; None: it is not."""
        if code.co_name != self.parts[-1] or not self._is_in_module(code, names):
            return None
        whole = self._qualified(code, names)
        plain = whole.replace("<locals>.", "")
        if plain == self.path or plain.endswith("." + self.path):
            return whole
        return None


def wait_for(texts):
    """Marks what answers to one of these, when it is first called."""
    if not _ready():
        return False
    for text in texts:
        wanted = _Wanted(text)

        def decide(code, names, wanted=wanted):
            whole = wanted.answers(code, names)
            if whole is not None:
                mark_code(code, whole)

        _door.wait_for(_Object(sys.intern(wanted.parts[-1])), _Object(decide))
    if _door.way == MONITORING:
        _monitor.watch_starts()
    return True


def start():
    """At the interpreter's start, where the environment names functions."""
    wait_for([text for text in os.environ["TARE_LINES"].split("\n") if text])
