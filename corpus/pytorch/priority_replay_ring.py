"""Q-learning with a prioritised replay memory."""
import random
from collections import deque

import torch
from torch import nn


def main():
    torch.manual_seed(9)
    torch.set_num_threads(1)
    rnd = random.Random(9)
    network = nn.Sequential(nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(network.parameters())
    memory = deque(maxlen=120)
    for step in range(400):
        state, reward = torch.randn(512), rnd.random()
        with torch.no_grad():
            error = (network(state).max() - reward).abs().item()
        memory.append((state, reward, error))
        batch = rnd.choices(memory, [e for _, _, e in memory], k=16)
        states = torch.stack([s for s, _, _ in batch])
        rewards = torch.tensor([r for _, r, _ in batch])
        loss = (network(states).max(dim=1).values - rewards).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
