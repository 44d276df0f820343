"""Load points, then move the centres of clusters until they rest."""
import numpy as np

rng = np.random.default_rng(28)
groups = []
for _ in range(100):
    centre = rng.uniform(-10, 10, size=8)
    groups.append(centre + rng.normal(size=(400, 8)))
points = np.concatenate(groups)
centres = points[rng.choice(len(points), 60, replace=False)]
for turn in range(60):
    nearest = np.empty(len(points), dtype=int)
    for start in range(0, len(points), 4000):
        part = points[start:start + 4000]
        nearest[start:start + 4000] = ((part[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    moved = np.array([points[nearest == k].mean(axis=0) if (nearest == k).any() else centres[k]
                      for k in range(60)])
    shift = float(np.abs(moved - centres).max())
    centres = moved
    if shift < 1e-6:
        break
print("turns", turn + 1, "last shift", shift)
