"""Sum a large file through a memory map, a megabyte at a time."""
import os
import tempfile
import time

import numpy as np

PIECE = 131_072  # float64 numbers: 1 MB


def main():
    handle, path = tempfile.mkstemp(suffix=".bin")
    with os.fdopen(handle, "wb") as out:
        block = np.arange(PIECE, dtype=np.float64)
        for _ in range(128):
            out.write(block.tobytes())
    data = np.memmap(path, dtype=np.float64, mode="r")
    total = 0.0
    for start in range(0, len(data), PIECE):
        piece = data[start:start + PIECE]
        total += float(np.sqrt(np.abs(piece)).sum())
        time.sleep(0.019)
    print(f"{total:.6e}")
    os.unlink(path)


if __name__ == "__main__":
    main()
