"""Play games and learn from them, by turns."""
import time

import numpy as np


class Learner:
    def __init__(self, size):
        self.weights = np.zeros(size)
        self.gradients = []

    def learn(self, games):
        for state, reward in games:
            gradient = (state @ self.weights - reward) @ state / len(state)
            self.weights -= 0.01 * gradient
            self.gradients.append(state * 0.01)
            time.sleep(0.004)


def play(rng, count, size):
    games = []
    for _ in range(count):
        state = rng.normal(size=(25, size))
        games.append((state, state[:, 0]))
        time.sleep(0.004)
    return games


def main():
    rng = np.random.default_rng(54)
    learner = Learner(200)
    for turn in range(8):
        learner.learn(play(rng, 30, 200))
    print(learner.weights[:3].round(3), len(learner.gradients))


main()
