"""Write a summary of each job when the program ends."""
import atexit
import time

import numpy as np

summaries = []


def run_job(number, rng):
    residuals = rng.normal(size=30_000)
    fit = float(np.abs(residuals).mean())
    atexit.register(lambda r=residuals, n=number: summaries.append((n, float(r.max()))))
    return fit


def main():
    rng = np.random.default_rng(11)
    total = 0.0
    for number in range(120):
        total += run_job(number, rng)
        np.sort(rng.random(40_000))
        time.sleep(0.02)
    print(round(total, 3))


if __name__ == "__main__":
    main()
