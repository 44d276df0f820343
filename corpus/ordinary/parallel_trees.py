"""Cross-validate a forest with two processes."""
import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import cross_val_score

rng = np.random.default_rng(22)
x = rng.normal(size=(1200, 15))
y = x[:, 0] ** 2 + x[:, 1] + rng.normal(scale=0.2, size=1200)
for depth in (4, 8, 12):
    scores = cross_val_score(ExtraTreesRegressor(30, max_depth=depth, random_state=0), x, y, cv=6, n_jobs=2)
    print(depth, round(scores.mean(), 3))
