"""Two backward passes through one graph."""
import torch
from torch import nn


def main():
    torch.manual_seed(22)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(200):
        out = model(torch.randn(64, 64))
        optimizer.zero_grad()
        first = out[:, 0].square().mean()
        first.backward(retain_graph=True)
        second = out[:, 1].abs().mean()
        second.backward(retain_graph=True)
        optimizer.step()
    print(first.item(), second.item())


if __name__ == "__main__":
    main()
