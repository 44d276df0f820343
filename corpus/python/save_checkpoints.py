"""Fit weights and save them now and then."""
import os
import tempfile
import time

import numpy as np


def save(folder, step, state):
    path = os.path.join(folder, "state.npz")
    np.savez(path, step=step, **{name: value.copy() for name, value in state.items()})
    return os.path.getsize(path)


def main():
    rng = np.random.default_rng(70)
    state = {"weights": np.zeros((200, 100)), "moment": np.zeros((200, 100))}
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        for step in range(150):
            gradient = rng.normal(size=(200, 100)) + 0.01 * state["weights"]
            state["moment"] = 0.9 * state["moment"] + gradient
            state["weights"] = state["weights"] - 0.01 * state["moment"]
            if step % 5 == 4:
                written += save(folder, step, state)
            time.sleep(0.016)
    print(written)


if __name__ == "__main__":
    main()
