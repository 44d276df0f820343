"""Memory of GPUs: what PyTorch says of its devices, and the blocks of CuPy's pool.

PyTorch's allocators report each block to the probe themselves. What they do not report is asked for here:
the device's name and size, what the blocks are for, and what is free in the pool. It is asked rarely: at
steps 4, 16, 64 ... of an optimizer, and at the end of the program. Nothing here initialises a device.
"""
import sys
from _weakref import ref

from . import _probe, _tensors

WORTH_ASKING = 64 << 20  # free bytes in the pool: with fewer, how they lie there is not asked

_optimizers = {}  # id: a weak reference, of those that have taken a step
_steps = 0
_next = 4


def _nothing(*_):
    pass


find = born = died = pool = says = _nothing


def _bind():
    import _ctypes  # pylint: disable=import-outside-toplevel

    class Address(_ctypes._SimpleCData):  # pylint: disable=protected-access,too-few-public-methods
        """uint64_t"""
        _type_ = "Q"

    find_it, born_at, died_at, pool_of, says_it = _probe.bind(
        None, "device_find device_born device_died device_pool device_says")

    def with_numbers(function):
        return lambda device, *numbers: function(device, *map(Address, numbers))

    return find_it, with_numbers(born_at), with_numbers(died_at), with_numbers(pool_of), says_it


if _probe.present:
    try:
        find, born, died, pool, says = _bind()
    except Exception:  # pylint: disable=broad-except
        pass


# ---- PyTorch ----

def torch(module):
    """torch is there."""
    _tensors.show(module)
    find()


def _add_tensor(sums, tensor, role):
    """Its storage counts, and only if it is on a device."""
    if tensor is not None and getattr(tensor, "is_cuda", False):
        index = tensor.device.index or 0
        sums.setdefault(index, [0, 0, 0])[role] += tensor.untyped_storage().nbytes()


def _roles():
    """{device: [bytes of parameters, gradients, optimizer states]}; tensors that share storage count once."""
    sums, seen = {}, set()
    for one in list(_optimizers.values()):
        optimizer = one()
        if optimizer is None:
            continue
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if id(parameter) in seen:
                    continue
                seen.add(id(parameter))
                _add_tensor(sums, parameter, 0)
                _add_tensor(sums, parameter.grad, 1)
                state = optimizer.state.get(parameter)
                for value in state.values() if isinstance(state, dict) else ():
                    _add_tensor(sums, value, 2)
    return sums


def _free_in_pool(torch_module, index):
    """Bytes the pool could return; bytes that blocks in use keep; address of the block that keeps most."""
    cuda = torch_module.cuda
    returnable = kept = most = pinning = 0
    if cuda.memory_reserved(index) - cuda.memory_allocated(index) < WORTH_ASKING:
        return 0, 0, 0
    for segment in cuda.memory_snapshot():
        if segment.get("device", 0) != index:
            continue
        spare = segment["total_size"] - segment["allocated_size"]
        if segment["allocated_size"] == 0:
            returnable += spare
            continue
        kept += spare
        if spare > most:
            address = segment.get("address", 0)
            for block in segment["blocks"]:
                if block["state"] == "active_allocated":
                    most, pinning = spare, block.get("address", address)
                    break
                address += block["size"]
    return returnable, kept, pinning


def _describe(module, whole):
    cuda = module.cuda
    roles = _roles()
    for index in range(cuda.device_count()):
        properties = cuda.get_device_properties(index)
        if not cuda.memory_reserved(index):
            continue
        free = _free_in_pool(module, index) if whole else (0, 0, 0)
        says(_packed(index, properties.name, properties.total_memory, *free,
                     *roles.get(index, (0, 0, 0))))


_names = {}  # texts that live as long as the program: a description has the address of one


def _packed(index, name, *numbers):
    """struct tare_device. The letters of a bytes object follow its head, and end with 0."""
    text = _names.setdefault(name, _probe.text(name))
    address = id(text) + bytes.__basicsize__ - 1
    return b"".join(number.to_bytes(8, "little") for number in (index, address, *numbers))


def _ask(whole):
    module = sys.modules.get("torch")
    cuda = getattr(module, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        _describe(module, whole)


def stepped(optimizer):
    """An optimizer has taken a step."""
    global _steps, _next  # pylint: disable=global-statement
    _steps += 1
    if id(optimizer) not in _optimizers and len(_optimizers) < 256:
        _optimizers[id(optimizer)] = ref(optimizer, lambda _, key=id(optimizer): _optimizers.pop(key, None))
    if _steps == _next:
        _next *= 4
        _ask(False)


def end():
    """The program is about to end: what it has on its devices is still there."""
    try:
        _ask(True)
    except Exception:  # pylint: disable=broad-except
        pass


# ---- CuPy ----

def cupy_pool(module):
    """cupy.cuda.memory_hook is there: its hooks are called for each block of the pool, on this thread."""

    class Watch(module.MemoryHook):
        """Its methods are called by CuPy."""

        name = "tare"

        def malloc_postprocess(self, device_id, mem_size, mem_ptr, **_):
            """A block was handed out."""
            born(device_id, mem_ptr, mem_size)

        def free_postprocess(self, device_id, mem_size, mem_ptr, **_):
            """A block is back in the pool."""
            died(device_id, mem_ptr, mem_size)

    Watch().__enter__()  # pylint: disable=unnecessary-dunder-call
