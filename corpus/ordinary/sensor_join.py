"""For each day, join readings with the sensors that made them and note the mean by room."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(24)
sensors = pd.DataFrame({"sensor": range(500), "room": rng.integers(0, 40, 500),
                        "factor": rng.random(500) + 0.5})
means = []
for day in range(150):
    readings = pd.DataFrame({"sensor": rng.integers(0, 500, 8000), "value": rng.normal(20, 3, 8000)})
    joined = readings.merge(sensors, on="sensor")
    joined["value"] *= joined["factor"]
    means.append(joined.groupby("room")["value"].mean())
table = pd.concat(means, axis=1, keys=range(150))
print(table.mean(axis=1).round(2).head())
