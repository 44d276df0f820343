"""Smooth a stream of spectra with a closure."""
import time

import numpy as np


def smoother(width):
    history = []

    def update(spectrum):
        history.append(spectrum)
        return np.mean(history[-width:], axis=0)

    return update


def spectra(count, rng):
    for _ in range(count):
        yield np.abs(np.fft.rfft(rng.normal(size=9998)))


def main():
    rng = np.random.default_rng(3)
    update = smoother(8)
    peak = 0.0
    for spectrum in spectra(240, rng):
        peak = max(peak, float(update(spectrum).max()))
        time.sleep(0.01)
    print(round(peak, 3))


if __name__ == "__main__":
    main()
