"""Hand samples to a C library through a buffer that C allocates."""
import ctypes
import time

import numpy as np

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


def encode(frame):
    size = frame.nbytes
    buffer = libc.malloc(size)
    libc.memset(buffer, 0, size)
    ctypes.memmove(buffer, frame.ctypes.data, size)
    return ctypes.c_ubyte.from_address(buffer + size // 2).value


def main():
    rng = np.random.default_rng(4)
    check = 0
    for _ in range(150):
        frame = rng.integers(0, 255, size=100_000, dtype=np.uint8)
        check += encode(frame)
        time.sleep(0.016)
    print(check)


if __name__ == "__main__":
    main()
