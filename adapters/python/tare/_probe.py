"""The functions of the probe: C functions found by name in this process, or functions that do nothing.

`_ctypes` is used directly: importing `ctypes` takes two to five times as long, and would load it in every
program. The functions are called with the interpreter's lock held,
like a method of a built-in type: a mark must not let another thread run.
"""
from sys import modules


def _nothing(*_):
    pass


present = False
tick = hello = loading = end = scope_begin = scope_end = tensors = _nothing


def text(name):
    """Any value as bytes for a C function that takes a text."""
    try:
        return str(name).encode("utf-8", "replace")
    except Exception:  # pylint: disable=broad-except
        return b""


def _collector():
    """A module `gc` of our own, made without the program's finders, so that sys.modules stays the same.

    Before 3.10 the import system would find the program's module and reset its functions, so that module is
    hidden while ours is made. It is made here, in about 25 µs, and not when the probe first needs it: there
    an exception of a signal handler or the program's trace function could interfere.
    """
    from _frozen_importlib import BuiltinImporter, module_from_spec
    loaded = modules.pop("gc", None)
    try:
        spec = BuiltinImporter.find_spec("gc")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        modules.pop("gc", None)
        if loaded is not None:
            modules["gc"] = loaded
    return module


def _bind():
    import _ctypes  # pylint: disable=import-outside-toplevel

    class Pointer(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """void *"""
        _type_ = "P"

    class Function(_ctypes.CFuncPtr):  # pylint: disable=too-few-public-methods
        """void (*)(…); an int is passed as int, bytes as char *."""
        _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI
        _restype_ = None

    process = _ctypes.dlopen(None, 0)

    def functions(table, count):
        address = _ctypes.dlsym(process, table)
        size = _ctypes.sizeof(Pointer)
        return [Function(Pointer.from_address(address + i * size).value) for i in range(count)]

    return (functions("tare_adapter_v1", 4) + functions("tare_marks_v1", 3)[1:]
            + functions("tare_arrays_v1", 1))


try:
    tick, hello, loading, end, scope_begin, scope_end, tensors = _bind()
    present = True
    gc = _collector()  # the probe reads it from here
    import posix  # pylint: disable=import-error
    if posix.environ.get(b"TARE_TRY") == b"gc":
        from ._collect import collecting
        tick = collecting(tick, gc.collect)
except Exception:  # pylint: disable=broad-except
    pass
