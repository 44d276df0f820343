"""Peek at the first row of each shard; the readers stay open for later."""
import time

import numpy as np


class Shards:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.readers = []

    def rows(self):
        block = self.rng.random((100, 100))
        for row in block:
            yield row

    def peek(self):
        reader = self.rows()
        self.readers.append(reader)
        return next(reader)


def main():
    shards = Shards(5)
    first = 0.0
    for _ in range(200):
        first += float(shards.peek().sum())
        time.sleep(0.012)
    print(round(first, 3))


if __name__ == "__main__":
    main()
