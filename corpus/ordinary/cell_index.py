"""Build an index of cells, then answer queries for the nearest vector."""
import numpy as np

rng = np.random.default_rng(30)
centres = rng.normal(size=(120, 64)).astype(np.float32)
index = {}
for number, centre in enumerate(centres):
    index[number] = centre + 0.3 * rng.normal(size=(400, 64)).astype(np.float32)
    index[number].sort(axis=0)
print(len(index), "cells")

found = 0.0
for query in range(600):
    wanted = rng.normal(size=64).astype(np.float32)
    cells = np.argsort(((centres - wanted) ** 2).sum(axis=1))[:10]
    best = min(float(((index[int(cell)] - wanted) ** 2).sum(axis=1).min()) for cell in cells)
    found += best
print("mean distance", round(found / 600, 3))
