"""Fill a replay memory and sample from it."""
import random
import time
from collections import deque

import numpy as np


class Replay:
    def __init__(self, size):
        self.memory = deque(maxlen=size)

    def push(self, *transition):
        self.memory.append(transition)

    def sample(self, rnd, count):
        return rnd.sample(list(self.memory), min(count, len(self.memory)))


def main():
    rng, rnd = np.random.default_rng(4), random.Random(4)
    replay = Replay(100)
    state = rng.random((60, 60))
    value = 0.0
    for step in range(400):
        after = 0.9 * state + 0.1 * rng.random((60, 60))
        replay.push(state, step % 4, float(after.mean()), after)
        state = after
        for _, action, reward, seen in replay.sample(rnd, 16):
            value += reward * float(seen[action].mean())
        time.sleep(0.006)
    print(round(value, 3))


if __name__ == "__main__":
    main()
