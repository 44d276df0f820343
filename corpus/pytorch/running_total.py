"""Train a regressor; print the mean loss at the end."""
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.hidden = nn.Linear(32, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.tanh(self.hidden(x))
        return self.out(h).squeeze(-1)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Regressor(128)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    total = 0.0
    steps = 300
    for _ in range(steps):
        x = torch.randn(48, 32)
        loss = nn.functional.mse_loss(model(x), x.norm(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    print("mean loss", float(total) / steps)


if __name__ == "__main__":
    main()
