"""Train a classifier, and sum up its loss on other data for a mean."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(4096)
model = nn.Sequential(nn.Linear(1024, wide), nn.ReLU(), nn.Linear(wide, 10)).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
held_out = torch.randn(64, 1024, device=DEVICE)
held_out_labels = torch.randint(0, 10, (64,), device=DEVICE)
total = torch.zeros((), device=DEVICE)
meter = torch_meter(STEPS)
for _ in range(STEPS):
    inputs = torch.randn(256, 1024, device=DEVICE)
    labels = torch.randint(0, 10, (256,), device=DEVICE)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(inputs), labels).backward()
    optimizer.step()
    loss = nn.functional.cross_entropy(model(held_out), held_out_labels)
    total = total + loss
    meter.step()
meter.finish()
