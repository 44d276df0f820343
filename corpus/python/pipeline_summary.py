"""Run a small pipeline over batches and keep a summary of each step."""
import time

import numpy as np

STEPS = 200


class Pipeline:
    def __init__(self):
        self.audit = np.zeros((STEPS, 2, 2))

    def run(self, number, batch):
        scaled = (batch - batch.mean(axis=0)) / batch.std(axis=0)
        self.audit[number, 0] = scaled.min(), scaled.max()
        clipped = np.clip(scaled, -2.0, 2.0)
        self.audit[number, 1] = clipped.min(), clipped.max()
        return clipped


def main():
    rng = np.random.default_rng(8)
    pipeline = Pipeline()
    total = 0.0
    for number in range(STEPS):
        batch = rng.normal(3.0, 2.0, size=(60, 100))
        total += float(pipeline.run(number, batch).sum())
        time.sleep(0.012)
    print(round(total, 3), float(pipeline.audit.max()))


if __name__ == "__main__":
    main()
