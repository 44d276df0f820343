"""Read sixty files of orders, put them together and sum them up by shop and month."""
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

rng = np.random.default_rng(23)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for number in range(60):
        days = pd.date_range("2024-01-01", periods=366)
        pd.DataFrame({"day": rng.choice(days, 1500), "shop": rng.choice(list("ABCDEF"), 1500),
                      "amount": rng.random(1500).round(2)}).to_csv(folder / f"{number:02d}.csv", index=False)
    frames = []
    for path in sorted(folder.glob("*.csv")):
        frames.append(pd.read_csv(path, parse_dates=["day"]))
orders = pd.concat(frames, ignore_index=True)
orders["month"] = orders["day"].dt.month
print(orders.pivot_table(index="month", columns="shop", values="amount", aggfunc="sum").round(1))
print(orders.describe())
