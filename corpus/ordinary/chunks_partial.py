"""Load chunks of events, then fit a linear model to them part by part."""
import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler


def load_chunk(rng):
    x = rng.normal(loc=3.0, scale=2.0, size=(250, 60))
    return x, (x[:, 0] > x[:, 1]).astype(int)


rng = np.random.default_rng(20)
chunks = []
for _ in range(150):
    chunks.append(load_chunk(rng))
scaler = StandardScaler().fit(chunks[0][0])
model = SGDClassifier(random_state=0)
for step in range(60):
    x, y = chunks[step]
    for _ in range(5):
        model.partial_fit(scaler.transform(x), y, classes=[0, 1])
tests = chunks[60:]
print(np.mean([model.score(scaler.transform(x), y) for x, y in tests]))
