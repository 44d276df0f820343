"""JAX: executed computations; compilations, with the function, its call and what was new about it."""
import sys

from . import _frameworks, _probe
from ._callers import frames, is_library
from ._changes import FUNCTION, OBJECT, SHAPE, TYPE, UNKNOWN, VALUE, then
from ._clocks import GRAPH

COMPILED = "/jax/core/compile/backend_compile_duration"

_seen = {}  # (name, file, line): the arguments it was last compiled for, and the function object's id
_MOST = 4096
_WIDEST, _DEEPEST = 64, 4  # of a tree of arguments


def _kind(value, depth=0):
    """What a compilation depends on, in plain tuples: nothing of the program is kept or compared."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return "array", tuple(shape), str(dtype)
    if value is None or isinstance(value, (int, float, complex, str, bool)):
        return "value", type(value).__name__, value
    if isinstance(value, (dict, list, tuple)) and len(value) <= _WIDEST and depth < _DEEPEST:
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return "tree", type(value).__name__, tuple((str(k), _kind(v, depth + 1)) for k, v in parts)
    return "object", type(value).__name__, id(value)


def _compare(name, before, after):
    """How two of them differ: one of the numbers of a change, and where, in words."""
    if before[0] != after[0] or (before[0] != "array" and before[1] != after[1]):
        return TYPE, name
    if before[0] == "array":
        if before[2] != after[2]:
            return TYPE, then(name, before[2], after[2])
        return SHAPE, f"{name}: shape {before[1]}, then {after[1]}"
    if before[0] == "value":
        return VALUE, then(name, before[2], after[2])
    if before[0] == "tree":
        for (key, one), (other, two) in zip(before[2], after[2]):
            if key == other and one != two:
                return _compare(f"{name}[{key}]", one, two)
    return OBJECT, name


def _difference(key, function, arguments):
    before = _seen.get(key)
    if len(_seen) < _MOST or key in _seen:
        _seen[key] = (id(function), arguments)
    if before is None:
        return UNKNOWN, ""
    if before[0] != id(function):
        return FUNCTION, ""
    for name, after in arguments.items():
        if name in before[1] and before[1][name] != after:
            return _compare(name, before[1][name], after)
    return UNKNOWN, ""


def _call():
    """The jitted function, its arguments by name, and the place of its call."""
    function, arguments, place = None, {}, ("", 0)
    for frame in frames(3):
        file = frame.f_code.co_filename
        if function is None and frame.f_code.co_name == "cache_miss" and file.endswith("/pjit.py"):
            function = frame.f_locals.get("fun")
            code = getattr(function, "__code__", None)
            names = code.co_varnames if code is not None else ()
            for i, value in enumerate(frame.f_locals.get("args", ())):
                arguments[names[i] if i < len(names) else f"argument {i}"] = _kind(value)
            for name, value in frame.f_locals.get("kwargs", {}).items():
                arguments[name] = _kind(value)
        if not is_library(file):
            place = (file, frame.f_lineno)
            break
    return function, arguments, place


def _listen(event, _duration, **_more):
    if event != COMPILED:
        return
    try:
        function, arguments, (file, line) = _call()
        if function is None or not file:
            return  # an operation by itself, not a function of the program
        code = getattr(function, "__code__", None)
        key = (getattr(function, "__qualname__", "a function"),
               code.co_filename if code is not None else "",
               code.co_firstlineno if code is not None else 0)
        change, argument = _difference(key, function, arguments)
        _frameworks.trace(_probe.text(key[0]), _probe.text(key[1]), key[2], _probe.text(file), line,
                          _probe.text(argument), change, 1, 0)
    except Exception:  # pylint: disable=broad-except
        pass


def monitoring(module):
    """jax._src.monitoring is there."""
    module.register_event_duration_secs_listener(_listen)


def jitted(_):
    """jax._src.pjit is there, and so is the type of compiled functions, in one library or another."""
    for name in ("jaxlib._jax", "jaxlib.xla_extension"):
        kind = getattr(sys.modules.get(name), "PjitFunction", None)
        if isinstance(kind, type):
            _frameworks.clock_calls(kind, GRAPH, b"jax")
            return
