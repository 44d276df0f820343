"""Integrate particles and remember where they were at each step."""
import numpy as np
import tare

snapshots = {}


def advance(places, speeds, rng):
    speeds += 0.01 * rng.normal(size=speeds.shape)
    return places + 0.1 * speeds


def main():
    rng = np.random.default_rng(12)
    places = rng.random((3125, 2))
    speeds = np.zeros((3125, 2))
    for step in range(300):
        places = advance(places, speeds, rng)
        snapshots[step] = places
        tare.step()
    print(round(float(snapshots[299].mean() - snapshots[298].mean()), 5))


if __name__ == "__main__":
    main()
