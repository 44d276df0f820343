"""Train a compiled network."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(2048)
model = nn.Sequential(nn.Linear(512, wide), nn.GELU(), nn.LayerNorm(wide), nn.Linear(wide, 10)).to(DEVICE)
compiled = torch.compile(model)
optimizer = torch.optim.Adam(model.parameters())
meter = torch_meter(STEPS)
for _ in range(STEPS):
    inputs = torch.randn(256, 512, device=DEVICE)
    labels = torch.randint(0, 10, (256,), device=DEVICE)
    output = compiled(inputs)
    loss = nn.functional.cross_entropy(output, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.step()
meter.finish()
