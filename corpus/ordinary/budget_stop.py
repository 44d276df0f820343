"""Run simulations until the budget is spent; say so by the exit status."""
import sys

import numpy as np

BUDGET = 30_000_000

rng = np.random.default_rng(41)
spent = 0
best = -np.inf
for trial in range(500):
    draws = rng.normal(size=(100, 1000))
    spent += draws.size
    best = max(best, float(np.cumsum(draws, axis=1).max()))
    if spent > BUDGET:
        print(f"budget spent after {trial} trials", file=sys.stderr)
        sys.exit(3)
print(best)
