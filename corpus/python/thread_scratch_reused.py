"""Workers keep scratch space in thread-local storage."""
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

scratch = threading.local()


def transform(seed):
    if not hasattr(scratch, "part"):
        scratch.part = np.empty(4000)
    rng = np.random.default_rng(seed)
    np.exp(rng.random(4000), out=scratch.part)
    return float(scratch.part.sum())


def main():
    total = 0.0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for turn in range(150):
            total += sum(pool.map(transform, range(turn * 4, turn * 4 + 4)))
            time.sleep(0.016)
    print(round(total, 2))


if __name__ == "__main__":
    main()
