"""Simulate random walks in worker processes and gather the results as they come."""
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np


def walk(seed):
    rng = np.random.default_rng(seed)
    path = rng.normal(size=(2000, 50)).cumsum(axis=0)
    return seed, path[-1]


def main():
    ends = {}
    with ProcessPoolExecutor(2) as pool:
        futures = [pool.submit(walk, seed) for seed in range(120)]
        for future in as_completed(futures):
            seed, end = future.result()
            ends[seed] = end
    table = np.array([ends[seed] for seed in sorted(ends)])
    print(table.shape, float(table.std()))


if __name__ == "__main__":
    main()
