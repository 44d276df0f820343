"""Run a small pipeline over batches."""
import time

import numpy as np

from pipeline_audit_stages import Clip, Normalise, Pipeline


def main():
    rng = np.random.default_rng(8)
    pipeline = Pipeline([Normalise(), Clip(-2.0, 2.0)])
    total = 0.0
    for number in range(200):
        batch = rng.normal(3.0, 2.0, size=(60, 100))
        total += float(pipeline.run(number, batch).sum())
        time.sleep(0.012)
    print(round(total, 3), pipeline.length())


if __name__ == "__main__":
    main()
