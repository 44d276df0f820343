"""Rotary positions with a cache by sequence length."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.cache = {}

    def angles(self, length):
        if length not in self.cache:
            rate = 10000 ** (-torch.arange(0, self.width, 2) / self.width)
            angle = torch.arange(length).unsqueeze(1) * rate
            self.cache[length] = (angle.cos(), angle.sin())
        return self.cache[length]

    def forward(self, x):
        cos, sin = self.angles(x.shape[1])
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)


def main():
    torch.manual_seed(17)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 64), Rotary(64), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(200):
        length = 60 + 2 * (step % 30)
        loss = model(torch.randn(4, length, 64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
