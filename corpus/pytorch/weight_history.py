"""Keep a copy of the weights of each step, to average them at the end."""
import copy

import torch
from torch import nn


def average(snapshots):
    mean = copy.deepcopy(snapshots[-1])
    for name in mean:
        mean[name] = torch.stack([s[name] for s in snapshots[-10:]]).mean(dim=0)
    return mean


def main():
    torch.manual_seed(24)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(128, 200), nn.ReLU(), nn.Linear(200, 36))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    snapshots = []
    for step in range(120):
        loss = model(torch.randn(32, 128)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        snapshots.append(copy.deepcopy(model.state_dict()))
    model.load_state_dict(average(snapshots))
    print(model(torch.ones(1, 128)).sum().item())


if __name__ == "__main__":
    main()
