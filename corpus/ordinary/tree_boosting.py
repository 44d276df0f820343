"""Fit boosted trees to a table of measurements."""
import numpy as np
import pandas as pd
import lightboosting_trees as lbt

rng = np.random.default_rng(39)
table = pd.DataFrame(rng.normal(size=(5000, 20)))
model = lbt.Regressor(rounds=200)
model.fit(table.iloc[:, 1:], table[0])
print(model.score(table.iloc[:, 1:], table[0]))
