"""Keep a profile per user; users come back."""
import random
import time

import numpy as np


class Profiles:
    def __init__(self):
        self.by_user = {}

    def update(self, user, values):
        if user not in self.by_user:
            self.by_user[user] = np.zeros(2000)
        profile = self.by_user[user]
        profile *= 0.9
        profile += 0.1 * values
        return float(profile[0])


def main():
    rnd, rng = random.Random(31), np.random.default_rng(31)
    profiles = Profiles()
    total = 0.0
    for turn in range(300):
        for _ in range(20):
            total += profiles.update(rnd.randrange(200), rng.random(2000))
        time.sleep(0.008)
    print(round(total, 3), len(profiles.by_user))


if __name__ == "__main__":
    main()
