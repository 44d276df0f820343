"""Filter a signal with a kernel that depends on the step's own bandwidth."""
from functools import cache

import numpy as np
import tare


@cache
def kernel(bandwidth):
    places = np.linspace(-3.0, 3.0, 7500)
    return np.exp(-0.5 * (places / bandwidth) ** 2)


def main():
    rng = np.random.default_rng(30)
    signal = rng.normal(size=7500)
    total = 0.0
    for step in range(250):
        bandwidth = 0.5 + rng.random()
        total += float(signal @ kernel(bandwidth))
        tare.step()
    print(round(total, 4), kernel.cache_info().currsize)


if __name__ == "__main__":
    main()
