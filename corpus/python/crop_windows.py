"""Cut a short window out of each simulated signal and keep the windows for a plot."""
import time

import numpy as np


def simulate(rng, length=100_000):
    noise = rng.normal(size=length)
    return noise


def main():
    rng = np.random.default_rng(7)
    windows = []
    energy = 0.0
    for trial in range(150):
        signal = simulate(rng)
        energy += float(np.dot(signal, signal))
        start = trial % 50
        windows.append(signal[start:start + 10])
        time.sleep(0.016)
    print(len(windows), "windows, mean energy", round(energy / 150, 1))


if __name__ == "__main__":
    main()
