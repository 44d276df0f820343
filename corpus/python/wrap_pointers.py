"""Look at a C buffer as an array, again and again."""
import ctypes
import time

import numpy as np


def main():
    buffer = (ctypes.c_double * 50_000)()
    pointer = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_double))
    total = 0.0
    for turn in range(300):
        for _ in range(200):
            view = np.ctypeslib.as_array(pointer, shape=(50_000,))
            view[turn] += 1.0
        total += float((view * 2.0).sum())
        time.sleep(0.008)
    print(total)


if __name__ == "__main__":
    main()
