"""Compute features of a data set on the device until there is no room for more."""
import torch
from torch import nn

from shared.meter import torch_meter

STEPS = 400
torch.manual_seed(0)
memory = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(2e9 / memory)
model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024)).cuda()
features = []
meter = torch_meter(STEPS)
with torch.no_grad():
    for _ in range(STEPS):
        batch = torch.randn(2048, 256, device="cuda")
        try:
            found = model(batch)
        except torch.cuda.OutOfMemoryError:
            break
        features.append(found)
        meter.step()
meter.finish()
