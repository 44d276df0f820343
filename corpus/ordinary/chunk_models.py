"""Load chunks, then fit a linear model part by part, with a way back to each state."""
import copy

import numpy as np
from sklearn.linear_model import SGDClassifier

rng = np.random.default_rng(55)
chunks = []
for _ in range(150):
    x = rng.normal(size=(100, 2000)).astype(np.float32)
    chunks.append((x, rng.integers(0, 10, 100)))
model = SGDClassifier(random_state=0)
states = []
for step in range(120):
    x, y = chunks[step]
    model.partial_fit(x, y, classes=np.arange(10))
    states.append(copy.deepcopy(model))
print(len(states), states[-1].coef_.shape)
