"""Layers with a table of positions as a plain attribute."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.positions = torch.randn(512, width)
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.layer(x + self.positions[:x.shape[0]]))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = nn.Sequential(*(Block(128) for _ in range(4)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for step in range(120):
        x = torch.randn(64, 128)
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
