"""Gradient accumulation over four small batches, with a warm-up of the rate."""
import torch
from torch import nn


def main():
    torch.manual_seed(13)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=20)
    for step in range(80):
        optimizer.zero_grad()
        total = 0.0
        for part in range(4):
            x = torch.randn(16, 64)
            loss = nn.functional.mse_loss(model(x), x) / 4
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    print(total)


if __name__ == "__main__":
    main()
