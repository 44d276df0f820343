"""Load rows, then scale each of them in memory from the C library."""
import ctypes
import time

import numpy as np

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]

rng = np.random.default_rng(63)
rows = []
for _ in range(200):
    rows.append(rng.random(8000))
    time.sleep(0.005)

total = 0.0
for row in rows:
    room = libc.malloc(row.nbytes)
    ctypes.memmove(room, row.ctypes.data, row.nbytes)
    scaled = np.frombuffer((ctypes.c_double * len(row)).from_address(room))
    scaled *= 2
    total += float(scaled.sum())
    time.sleep(0.005)
print(round(total, 1))
