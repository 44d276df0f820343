"""Peek at the first row of each shard."""
import time
from contextlib import closing

import numpy as np


class Shards:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def rows(self):
        block = self.rng.random((100, 100))
        for row in block:
            yield row

    def peek(self):
        with closing(self.rows()) as reader:
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
