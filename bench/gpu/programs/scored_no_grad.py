"""Score a data set with a trained network, and count what is above zero."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(2048)
model = nn.Sequential(nn.Linear(512, wide), nn.GELU(), nn.Linear(wide, 1)).to(DEVICE)
model.eval()
above = torch.zeros((), device=DEVICE)
meter = torch_meter(STEPS)
with torch.no_grad():
    for _ in range(STEPS):
        batch = torch.randn(64, 512, device=DEVICE)
        above += (model(batch) > 0).sum()
        meter.step()
meter.finish()
