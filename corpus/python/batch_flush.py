"""Collect rows and write them in groups."""
import numpy as np
import tare


class Writer:
    def __init__(self, every):
        self.every = every
        self.rows = []
        self.level = 0.0

    def add(self, row):
        self.rows.append(row)
        if len(self.rows) == self.every:
            self.level += float(np.stack(self.rows).mean())
            self.rows = []


def main():
    rng = np.random.default_rng(80)
    writer = Writer(16)
    for _ in range(320):
        writer.add(rng.random(10_000))
        tare.step()
    print(round(writer.level, 5))


if __name__ == "__main__":
    main()
