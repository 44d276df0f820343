"""Score samples; a score may be asked for twice, so it is cached."""
import time
from functools import cached_property

import numpy as np


class Sample:
    def __init__(self, rng):
        self.values = rng.random(32_000)

    @cached_property
    def score(self):
        return float((self.values ** 2).mean())


def main():
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(200):
        sample = Sample(rng)
        best = max(best, sample.score + sample.score)
        time.sleep(0.012)
    print(round(best, 4))


if __name__ == "__main__":
    main()
