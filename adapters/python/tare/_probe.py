"""The functions of the probe: C functions found by name in this process, or functions that do nothing.

`_ctypes` is used directly: importing `ctypes` takes two to five times as long, and would load it in every
program. The functions are called with the interpreter's lock held,
like a method of a built-in type: a mark must not let another thread run.
"""
from sys import modules


def _nothing(*_):
    pass


# The members of struct tare_adapter (src/probe/entry/adapter_abi.h), 8 bytes each;
# tests/size/test_adapter_abi.py compares.
LAYOUT = """size hello loading tick end note scope_begin scope_end gauge gauge_at pool_find pool_read
launch trace registry count_type clock_calls tensors lines_begin lines_mark lines_wait_for
lines_functions lines_clear lines_attend js_enter js_leave js_heap js_collections js_kept
js_kept_by_request js_collect js_exposed js_on_collected js_on_snapshot js_quiet js_stack js_born js_died
js_held js_objects js_launch js_script_keep js_script_wanted js_interrupt_begin js_interrupt_end js_work_over
js_charge js_worker_over device_sync_begin device_sync_end device_find device_born device_died device_pool
device_says js_pause_most js_no_snapshot""".split()

present = False
tick = hello = loading = end = note = tensors = scope_begin = scope_end = _nothing


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


def bind(result, names):
    """The functions of these names. They return `result`, a type of ctypes, or None.

    Where the probe's struct is too short for one, it is a function that does nothing.
    """
    import _ctypes  # pylint: disable=import-outside-toplevel

    class Pointer(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """void *"""
        _type_ = "P"

    class Function(_ctypes.CFuncPtr):  # pylint: disable=too-few-public-methods
        """An int is passed as int, bytes as char *."""
        _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI
        _restype_ = result

    table = _ctypes.dlsym(_ctypes.dlopen(None, 0), "tare_adapter")
    size = Pointer.from_address(table).value
    places = [8 * LAYOUT.index(name) for name in names.split()]
    return [Function(Pointer.from_address(table + place).value) if place < size else _nothing
            for place in places]


try:
    tick, hello, loading, end, note, tensors, scope_begin, scope_end = bind(
        None, "tick hello loading end note tensors scope_begin scope_end")
    present = True
    gc = _collector()  # the probe reads it from here
    import posix  # pylint: disable=import-error
    if posix.environ.get(b"TARE_TRY") == b"gc":
        from ._collect import collecting
        tick = collecting(tick, gc.collect)
except Exception:  # pylint: disable=broad-except
    pass
