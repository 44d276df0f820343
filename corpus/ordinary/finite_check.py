"""Train, and stop when the loss is not a number any more."""
import math

import torch
from torch import nn

torch.manual_seed(9)
torch.set_num_threads(1)


def batches(count):
    for number in range(count):
        x = torch.randn(64, 120)
        if number == 130:
            x[3, 7] = math.inf
        yield x, x.sum(dim=1, keepdim=True)


model = nn.Sequential(nn.Linear(120, 400), nn.ReLU(), nn.Linear(400, 1))
optimizer = torch.optim.Adam(model.parameters())
for number, (x, y) in enumerate(batches(300)):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    if not torch.isfinite(loss):
        raise FloatingPointError(f"the loss of batch {number} is {loss.item()}")
    loss.backward()
    optimizer.step()
print("final loss", loss.item())
