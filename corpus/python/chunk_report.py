"""Sum a long table in chunks."""
import io
import time

import numpy as np
import pandas as pd


def make_csv(rows):
    rng = np.random.default_rng(50)
    frame = pd.DataFrame({"shop": rng.integers(0, 60, rows), "price": rng.random(rows).round(4),
                          "count": rng.integers(1, 9, rows)})
    return frame.to_csv(index=False)


def main():
    source = io.StringIO(make_csv(160_000))
    totals = pd.Series(0.0, index=range(60))
    for chunk in pd.read_csv(source, chunksize=2000):
        chunk["paid"] = chunk["price"] * chunk["count"]
        totals = totals.add(chunk.groupby("shop")["paid"].sum(), fill_value=0.0)
        time.sleep(0.03)
    print(round(totals.sum(), 2), totals.idxmax())


if __name__ == "__main__":
    main()
