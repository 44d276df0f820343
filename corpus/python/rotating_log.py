"""Log every step of a computation to rotating files."""
import logging
import logging.handlers
import os
import tempfile
import time

import numpy as np


def main():
    with tempfile.TemporaryDirectory() as folder:
        handler = logging.handlers.RotatingFileHandler(
            os.path.join(folder, "run.log"), maxBytes=50_000, backupCount=2)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log = logging.getLogger("run")
        log.setLevel(logging.DEBUG)
        log.propagate = False
        log.addHandler(handler)
        rng = np.random.default_rng(60)
        weights = np.zeros(500)
        for step in range(250):
            gradient = rng.normal(size=(40, 500)).mean(axis=0)
            weights -= 0.1 * gradient
            for part in range(10):
                log.debug("step %d part %d norm %.6f", step, part, np.linalg.norm(weights))
            time.sleep(0.01)
        log.removeHandler(handler)
        handler.close()
    print(round(float(np.linalg.norm(weights)), 5))


if __name__ == "__main__":
    main()
