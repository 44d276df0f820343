"""Read arrays, then fit them by gradient descent; the residuals are for a later look."""
import time

import numpy as np


def load(rng, count):
    parts = []
    for _ in range(count):
        time.sleep(0.008)
        parts.append(rng.normal(size=(100, 60)))
    return np.concatenate(parts)


def fit(x, y, steps):
    weights = np.zeros(x.shape[1])
    residuals = {}
    for step in range(steps):
        error = x @ weights - y
        weights -= 0.05 * x.T @ error / len(x)
        residuals[step] = error
        time.sleep(0.005)
    return weights, residuals


def main():
    rng = np.random.default_rng(51)
    x = load(rng, 150)
    weights, residuals = fit(x, x[:, 0] - x[:, 1], 200)
    print(weights[:3].round(3), len(residuals))


main()
