"""Smooth a stream of spectra with a running mean."""
import time

import numpy as np


def smoother(width):
    level = None

    def update(spectrum):
        nonlocal level
        level = spectrum if level is None else level + (spectrum - level) / width
        return level

    return update


def main():
    rng = np.random.default_rng(3)
    update = smoother(8)
    peak = 0.0
    for _ in range(240):
        spectrum = np.abs(np.fft.rfft(rng.normal(size=9998)))
        peak = max(peak, float(update(spectrum).max()))
        time.sleep(0.01)
    print(round(peak, 3))


if __name__ == "__main__":
    main()
