"""Which device a program uses, how long a step takes at least, and what the program reports at its end.

A program calls step() at the end of each step and finish() after the last one. finish() prints one line of
JSON: the framework's own count of what is allocated, its growth per step over the last three quarters of
the run, and what the driver counts for this process. With BENCH_DEVICE=cpu there is no device: the sizes
are smaller and the counts are 0.
"""
import ctypes
import json
import os
import sys
import time

DEVICE = os.environ.get("BENCH_DEVICE", "cuda")
PACE = 0.005  # seconds that a step takes at least, like one that reads its data from a disk
NOT_AVAILABLE = (1 << 64) - 1


def size(full):
    """A dimension of a model or a batch."""
    return full if DEVICE == "cuda" else max(full // 8, 1)


class NvmlProcess(ctypes.Structure):
    """nvmlProcessInfo_t"""
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong),
                ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


class NvmlMemory(ctypes.Structure):
    """nvmlMemory_t"""
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


def own_bytes(nvml, handle):
    """Bytes of this process on the device; None: the driver does not say."""
    count, processes = ctypes.c_uint(256), (NvmlProcess * 256)()
    if nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), processes):
        return None
    known = processes[:count.value]
    # In a container the numbers of processes may be those of the host.
    mine = [p.used for p in known if p.pid == os.getpid()] or [p.used for p in known if len(known) == 1]
    return mine[0] if mine and mine[0] != NOT_AVAILABLE else None


def driver_counts():
    """(bytes of this process, bytes of all processes) on the first device, as NVML has them."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None, None
    handle, memory = ctypes.c_void_p(), NvmlMemory()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)):
        return None, None
    failed = nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    counts = own_bytes(nvml, handle), None if failed else memory.used
    nvml.nvmlShutdown()
    return counts


def context_counts():
    """driver_counts() with the context of PyTorch or CuPy alone, before the program takes memory. JAX makes
    its context and takes memory at once, so they are not known."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if DEVICE != "cuda" or not (torch or cupy):
        return None, None
    if torch:
        torch.cuda.synchronize()
    if cupy:
        cupy.cuda.runtime.deviceSynchronize()
    return driver_counts()


CONTEXT, ALL_BEFORE = context_counts()


class Meter:
    """`steps`: of the whole run. `counts()`: (bytes allocated, the most so far, bytes reserved) as the
    framework counts them; None where it does not."""

    def __init__(self, steps, counts):
        self.counts = counts
        self.done, self.first, self.at_first = 0, steps // 4, 0
        self.due = time.monotonic()

    def step(self):
        """A step has ended."""
        self.done += 1
        if self.done == self.first:
            self.at_first = self.counts()[0] or 0
        self.due = max(self.due + PACE, time.monotonic())
        time.sleep(max(self.due - time.monotonic(), 0))

    def finish(self):
        """The last step has ended, and nothing was dropped since."""
        allocated, most, reserved = self.counts()
        process, everything = driver_counts()
        grown = (allocated or 0) - self.at_first
        known = None not in (everything, ALL_BEFORE)
        print(json.dumps({
            "steps": self.done, "growth_per_step": grown / max(self.done - self.first, 1),
            "memory_allocated": allocated, "max_memory_allocated": most, "memory_reserved": reserved,
            "context": CONTEXT, "process": process,
            "device_growth": everything - ALL_BEFORE if known else None}))


def torch_meter(steps):
    """For a program that has imported torch."""
    cuda = sys.modules["torch"].cuda
    if DEVICE != "cuda":
        return Meter(steps, lambda: (0, 0, 0))
    return Meter(steps, lambda: (cuda.memory_allocated(), cuda.max_memory_allocated(),
                                 cuda.memory_reserved()))


def jax_meter(steps):
    """For a program that has imported jax."""
    device = sys.modules["jax"].devices()[0]

    def counts():
        said = device.memory_stats() or {}
        return said.get("bytes_in_use", 0), said.get("peak_bytes_in_use"), said.get("pool_bytes")

    return Meter(steps, counts)


def cupy_meter(steps):
    """For a program that has imported cupy."""
    pool = sys.modules["cupy"].get_default_memory_pool()
    return Meter(steps, lambda: (pool.used_bytes(), None, pool.total_bytes()))
