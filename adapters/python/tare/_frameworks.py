"""The probe's functions for frameworks with their own pools, graphs and registries.

As in _probe: C functions of the process, or functions that do nothing. Their contracts are in
src/probe/entry/adapter_abi.h.
"""
from . import _probe


def _nothing(*_):
    return 0


pool_find = pool_read = launch = trace = registry = count_type = clock_calls = _nothing


def _bind():
    import _ctypes  # pylint: disable=import-outside-toplevel

    class Long(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """int64_t, of which an int is a part"""
        _type_ = "q"

    class Pointer(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """void *"""
        _type_ = "P"

    find, read, add_called = _probe.bind(Long, "pool_find pool_read clock_calls")
    others = _probe.bind(None, "launch trace registry count_type")
    add_type = others.pop()

    def count_type_of(kind, name):
        add_type(Pointer(id(kind)), name)

    def clock_calls_of(kind, clock, own):
        return add_called(Pointer(id(kind)), Long(kind.__flags__), clock, own)

    return [find, read] + others + [count_type_of, clock_calls_of]


if _probe.present:
    try:
        pool_find, pool_read, launch, trace, registry, count_type, clock_calls = _bind()
    except Exception:  # pylint: disable=broad-except
        pass


class Called:  # pylint: disable=too-few-public-methods
    """A method is looked up once per call; at that moment `notice` is called with the instance.

    So nothing of ours is on the stack when the method runs. Our errors end here.
    """

    def __init__(self, function, notice):
        self._function = function
        self._notice = notice

    def __get__(self, instance, owner=None):
        if instance is not None:
            try:
                self._notice(instance)
            except Exception:  # pylint: disable=broad-except
                pass
        return self._function.__get__(instance, owner)


def on_call(kind, name, notice):
    """From now on `notice` is called for each call of that method."""
    setattr(kind, name, Called(kind.__dict__[name], notice))
