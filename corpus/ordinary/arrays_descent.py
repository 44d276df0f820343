"""Read arrays from files, then run sixty steps of gradient descent on them."""
import tempfile
from pathlib import Path

import numpy as np


def main():
    rng = np.random.default_rng(27)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(150):
            np.save(folder / f"part{number:03d}.npy", rng.normal(size=(200, 50)))
        parts = []
        for path in sorted(folder.iterdir()):
            parts.append(np.load(path))
    x = np.concatenate(parts)
    y = x @ rng.normal(size=50) + rng.normal(size=len(x))
    weights, velocity = np.zeros(50), np.zeros(50)
    for step in range(60):
        for part in np.array_split(rng.permutation(len(x)), 8):
            gradient = x[part].T @ (x[part] @ weights - y[part]) / len(part)
            velocity = 0.9 * velocity - 0.05 * gradient
            weights += velocity
        if step % 20 == 19:
            print(step, float(np.mean((x @ weights - y) ** 2)))


if __name__ == "__main__":
    main()
