"""Read a large table in chunks, then fit a line through it by gradient descent."""
import io

import numpy as np
import pandas as pd

rng = np.random.default_rng(25)
text = io.StringIO()
data = rng.normal(size=(30_000, 12))
pd.DataFrame(data, columns=[f"c{i}" for i in range(12)]).to_csv(text, index=False)
del data
text.seek(0)
chunks = []
for chunk in pd.read_csv(text, chunksize=200):
    chunks.append(chunk)
table = pd.concat(chunks)
x = table.iloc[:, 1:].to_numpy()
y = table["c0"].to_numpy() + 2 * x[:, 0]
weights = np.zeros(x.shape[1])
for step in range(60):
    for _ in range(20):
        weights -= 0.05 * x.T @ (x @ weights - y) / len(x)
print(weights.round(3))
