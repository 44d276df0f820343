"""Score samples; a score may be asked for twice, so it is cached."""
import time
from functools import lru_cache

import numpy as np


class Sample:
    def __init__(self, rng):
        self.values = rng.random(16_000)

    @lru_cache
    def score(self, power):
        return float((self.values * power).mean())


def main():
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(500):
        sample = Sample(rng)
        best = max(best, sample.score(2) + sample.score(2))
        time.sleep(0.005)
    print(round(best, 4))


if __name__ == "__main__":
    main()
