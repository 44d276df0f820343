"""Interpolate with tables that are built on demand for thirty zones."""
import time

import numpy as np


class Tables:
    def __init__(self, seed):
        self.seed = seed
        self.zones = {}

    def zone(self, number):
        if number not in self.zones:
            rng = np.random.default_rng(self.seed + number)
            self.zones[number] = np.sort(rng.random(20_000))
        return self.zones[number]


def main():
    tables = Tables(100)
    rng = np.random.default_rng(0)
    total = 0
    for step in range(300):
        zone = tables.zone(step % 30)
        total += int(np.searchsorted(zone, rng.random(3000)).sum())
        time.sleep(0.008)
    print(total)


if __name__ == "__main__":
    main()
