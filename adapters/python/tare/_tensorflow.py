"""TensorFlow: the pool of its tensors, executed functions, iterated data sets, traces."""
import sys
from _weakref import ref

from . import _frameworks, _probe, _registries
from ._callers import frames, is_library
from ._changes import difference
from ._clocks import GRAPH, LOADER

CHECKED_AFTER = 16  # functions executed: by then a tensor of some size has been made, if ever
_executed = [0]


def _check_pool(context):
    """Once: if the pool's own counter says that it is in use, were its hooked methods called?"""
    try:
        used = context.get_memory_info("CPU:0")["current"]
    except Exception:  # pylint: disable=broad-except
        return  # there is no pool
    if used and not _frameworks.pool_read(2):
        _probe.note(b"TensorFlow's pool of large tensors could not be seen: its regions are "
                    b"counted as blocks of the program.")


def _launched(context):
    _frameworks.launch()
    _probe.tick(GRAPH)
    _registries.look()
    _executed[0] += 1
    if _executed[0] == CHECKED_AFTER:
        _check_pool(context)


def context(module):
    """tensorflow.python.eager.context is there."""
    _frameworks.pool_find()
    _frameworks.on_call(module.Context, "call_function", _launched)


def ops(module):
    """tensorflow.python.framework.ops is there."""
    kind = getattr(module, "EagerTensor", None)
    if isinstance(kind, type):
        _frameworks.count_type(kind, b"EagerTensor")


def _fetched(_):
    _frameworks.launch()
    _probe.tick(LOADER)
    _registries.look()


def iterator_ops(module):
    """tensorflow.python.data.ops.iterator_ops is there."""
    _frameworks.on_call(module.OwnedIterator, "_next_internal", _fetched)


# ---- traces ----

_versions = {}  # (function's name, file, line): weak references to the objects that have them


def _owner():
    """The tf.function object whose trace this is, and the place of its call."""
    owner, place = None, ("", 0)
    for frame in frames(3):
        file = frame.f_code.co_filename
        if owner is None and file.endswith("/polymorphic_function.py"):
            found = frame.f_locals.get("self")
            owner = found if hasattr(found, "python_function") else None
        if not is_library(file):
            place = (file, frame.f_lineno)
            break
    return owner, place


def _named(owner, concrete):
    """Name, file and line of the function; if it is not a tf.function, only its name."""
    function = getattr(owner, "python_function", None)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is not None:
        return getattr(function, "__qualname__", code.co_name), code.co_filename, code.co_firstlineno
    name = concrete.name
    name = name.decode() if isinstance(name, bytes) else str(name)
    return name.replace("__inference_", "").rstrip("0123456789").rstrip("_"), "", 0


def _live(key, owner, cache):
    """Versions that exist of all functions of this definition."""
    if owner is None:
        return len(cache)
    known = _versions.setdefault(key, {})
    if id(owner) not in known:
        known[id(owner)] = ref(owner)
    total = 0
    for number, reference in list(known.items()):
        there = reference()
        if there is None:
            del known[number]
        else:
            total += there.experimental_get_tracing_count()
    return total


def _traced(cache, concrete):
    owner, (call_file, call_line) = _owner()
    key = _named(owner, concrete)
    again = key in _versions and bool(_versions[key])
    change, argument = difference(cache, concrete, again)
    _frameworks.trace(_probe.text(key[0]), _probe.text(key[1]), key[2], _probe.text(call_file),
                      call_line, _probe.text(argument), change, 1, _live(key, owner, cache))


def function_cache(module):
    """Hook: tensorflow.core.function.polymorphism.function_cache was imported. No code of the program
    runs inside the method, so a wrapper of it never appears on a stack."""
    kind = module.FunctionCache
    original = kind.__dict__["add"]

    def add(self, fn, context=None):  # pylint: disable=redefined-outer-name
        result = original(self, fn, context)
        try:
            _traced(self, fn)
        except Exception:  # pylint: disable=broad-except
            pass
        return result

    add.__doc__, add.__qualname__, add.__wrapped__ = original.__doc__, original.__qualname__, original
    kind.add = add


def loaded():
    """For tests: is TensorFlow here?"""
    return "tensorflow.python.eager.context" in sys.modules
