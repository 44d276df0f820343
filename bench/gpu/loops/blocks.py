"""Time a loop on the device: the median of five blocks of steps, after a warm-up as long as one of them.

With TORCH_MEMORY_HISTORY=1 PyTorch records its own history of the device's memory.
"""
import os
import statistics
import time

import torch

DEVICE = os.environ.get("BENCH_DEVICE", "cuda")
BLOCKS = 5

if os.environ.get("TORCH_MEMORY_HISTORY"):
    torch.cuda.memory._record_memory_history()  # pylint: disable=protected-access


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def nanoseconds(step, count):
    wait()
    begin = time.perf_counter_ns()
    for _ in range(count):
        step()
    wait()
    return (time.perf_counter_ns() - begin) / count


def time_steps(step, count):
    """Prints the nanoseconds that one call of `step` takes. `count`: in one block."""
    nanoseconds(step, count)
    print(statistics.median(nanoseconds(step, count) for _ in range(BLOCKS)))
