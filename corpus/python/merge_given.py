"""Merge batches with the ones that came before."""
from collections import deque

import numpy as np
import tare


def merge(batch, seen):
    seen.append(batch)
    return np.mean(seen, axis=0)


def main():
    rng = np.random.default_rng(21)
    seen = deque(maxlen=4)
    level = 0.0
    for _ in range(200):
        batch = rng.random((80, 100))
        level += float(merge(batch, seen).mean())
        tare.step()
    print(round(level, 3))


if __name__ == "__main__":
    main()
