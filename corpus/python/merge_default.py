"""Merge batches with the ones that came before, if the caller has any."""
import numpy as np
import tare


def merge(batch, seen=[]):
    seen.append(batch)
    recent = seen[-4:]
    return np.mean(recent, axis=0)


def main():
    rng = np.random.default_rng(21)
    level = 0.0
    for _ in range(200):
        batch = rng.random((80, 100))
        level += float(merge(batch).mean())
        tare.step()
    print(round(level, 3))


if __name__ == "__main__":
    main()
