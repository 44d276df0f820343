"""Collect the parts of an experiment in one table."""
import time

import numpy as np
import pandas as pd


def read_part(number, rng):
    return pd.DataFrame({
        "run": np.full(4000, number, dtype=np.int64),
        "time": rng.random(4000),
        "value": rng.normal(size=4000),
        "weight": rng.random(4000),
    })


def main():
    rng = np.random.default_rng(1)
    table = read_part(0, rng)
    for number in range(1, 121):
        part = read_part(number, rng)
        table = pd.concat([table, part], ignore_index=True)
        time.sleep(0.02)
    print(table.shape, round(table["value"].mean(), 4))


if __name__ == "__main__":
    main()
