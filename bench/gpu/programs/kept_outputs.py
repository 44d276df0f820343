"""Train a classifier, and store its outputs for a plot."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 600
torch.manual_seed(0)
wide = size(4096)
model = nn.Sequential(nn.Linear(1024, wide), nn.ReLU(), nn.Linear(wide, 10)).to(DEVICE)
optimizer = torch.optim.Adam(model.parameters())
outputs = []
meter = torch_meter(STEPS)
for _ in range(STEPS):
    inputs = torch.randn(256, 1024, device=DEVICE)
    labels = torch.randint(0, 10, (256,), device=DEVICE)
    output = model(inputs)
    loss = nn.functional.cross_entropy(output, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    outputs.append(output.detach())
    meter.step()
meter.finish()
