"""Q-learning with a prioritised replay memory."""
import random

import torch
from torch import nn


class Memory:
    def __init__(self, size):
        self.size = size
        self.memory = []
        self.next = 0

    def push(self, state, reward, priority):
        entry = (state, reward, priority)
        if len(self.memory) < self.size:
            self.memory.append(entry)
        else:
            self.memory[self.next] = entry
        self.next = (self.next + 1) % self.size

    def sample(self, rnd, count):
        weights = [float(p) for _, _, p in self.memory]
        return rnd.choices(self.memory, weights, k=count)


def main():
    torch.manual_seed(9)
    torch.set_num_threads(1)
    rnd = random.Random(9)
    network = nn.Sequential(nn.Linear(24, 128), nn.ReLU(), nn.Linear(128, 4))
    optimizer = torch.optim.Adam(network.parameters())
    memory = Memory(4000)
    for step in range(250):
        state, reward = torch.randn(24), rnd.random()
        error = (network(state).max() - reward).abs()
        memory.push(state, reward, error)
        batch = memory.sample(rnd, 16)
        states = torch.stack([s for s, _, _ in batch])
        rewards = torch.tensor([r for _, r, _ in batch])
        loss = (network(states).max(dim=1).values - rewards).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
