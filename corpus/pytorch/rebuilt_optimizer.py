"""Warm restarts: a fresh optimizer for each round."""
import torch
from torch import nn


def main():
    torch.manual_seed(23)
    torch.set_num_threads(1)
    model = nn.Linear(100, 100)
    schedules = []
    for round_number in range(80):
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        schedules.append(torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10))
        x = torch.randn(16, 100)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedules[-1].step()
    print(loss.item(), len(schedules))


if __name__ == "__main__":
    main()
