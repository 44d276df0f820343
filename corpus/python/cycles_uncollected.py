"""Simulate agents. The collector is off to keep the frame time even."""
import gc

import numpy as np
import tare


class Policy:
    def __init__(self, agent, rng):
        self.agent = agent
        self.weights = rng.random((64, 128))


class Agent:
    def __init__(self, rng):
        self.policy = Policy(self, rng)

    def act(self, state):
        return int(np.argmax(state @ self.policy.weights))


def main():
    gc.disable()
    rng = np.random.default_rng(19)
    actions = 0
    for episode in range(150):
        agent = Agent(rng)
        for _ in range(5):
            actions += agent.act(rng.random(64))
        tare.step()
    print(actions)


if __name__ == "__main__":
    main()
