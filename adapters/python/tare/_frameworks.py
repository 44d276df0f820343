"""The probe's functions for frameworks with their own pools, graphs and registries.

As in _probe: C functions found by name in this process, or functions that do nothing. Their contracts are in
src/probe/frameworks/frameworks.h.
"""
from . import _probe


def _nothing(*_):
    return 0


resolve = pool = launch = trace = registry = count_type = note = clock_calls = _nothing


def _bind():
    import _ctypes  # pylint: disable=import-outside-toplevel

    class Pointer(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """void *"""
        _type_ = "P"

    class Long(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """int64_t"""
        _type_ = "q"

    class Function(_ctypes.CFuncPtr):  # pylint: disable=too-few-public-methods
        """int64_t (*)(…), of which only that of `pool` is more than an int."""
        _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI
        _restype_ = Long

    class Quiet(_ctypes.CFuncPtr):  # pylint: disable=too-few-public-methods
        """void (*)(…)"""
        _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI
        _restype_ = None

    address = _ctypes.dlsym(_ctypes.dlopen(None, 0), "tare_frameworks_v1")
    size = _ctypes.sizeof(Pointer)
    functions = [Pointer.from_address(address + i * size).value for i in range(7)]
    add_type = Quiet(functions[5])

    def count_type_of(kind, name):
        add_type(Pointer(id(kind)), name)

    more = _ctypes.dlsym(_ctypes.dlopen(None, 0), "tare_frameworks_v2")
    add_called = Function(Pointer.from_address(more).value)

    def clock_calls_of(kind, clock, own):
        return add_called(Pointer(id(kind)), Long(kind.__flags__), clock, own)

    return (Function(functions[0]), Function(functions[1]), Quiet(functions[2]),
            Quiet(functions[3]), Quiet(functions[4]), count_type_of, Quiet(functions[6]),
            clock_calls_of)


if _probe.present:
    try:
        resolve, pool, launch, trace, registry, count_type, note, clock_calls = _bind()
    except Exception:  # pylint: disable=broad-except
        pass


class Told:  # pylint: disable=too-few-public-methods
    """A method is looked up once per call; at that moment `tell` is called with the instance.

    So nothing of ours is on the stack when the method runs. Our errors end here.
    """

    def __init__(self, function, tell):
        self._function = function
        self._tell = tell

    def __get__(self, instance, owner=None):
        if instance is not None:
            try:
                self._tell(instance)
            except Exception:  # pylint: disable=broad-except
                pass
        return self._function.__get__(instance, owner)


def tell_of(kind, name, tell):
    """From now on `tell` is called for each call of that method."""
    setattr(kind, name, Told(kind.__dict__[name], tell))
