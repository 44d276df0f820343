"""Train a classifier, and store the loss of every sample to find hard ones."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 500
torch.manual_seed(0)
wide = size(1024)
model = nn.Sequential(nn.Linear(128, wide), nn.ReLU(), nn.Linear(wide, 10)).to(DEVICE)
optimizer = torch.optim.Adam(model.parameters())
losses = []
meter = torch_meter(STEPS)
for _ in range(STEPS):
    inputs = torch.randn(4096, 128, device=DEVICE)
    labels = torch.randint(0, 10, (4096,), device=DEVICE)
    loss = nn.functional.cross_entropy(model(inputs), labels, reduction="none")
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
    losses.append(loss)
    meter.step()
meter.finish()
