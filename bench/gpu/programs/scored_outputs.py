"""Score a data set with a trained network, and rank the scores afterwards."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(2048)
model = nn.Sequential(nn.Linear(512, wide), nn.GELU(), nn.Linear(wide, 1)).to(DEVICE)
model.eval()
scores = []
meter = torch_meter(STEPS)
for _ in range(STEPS):
    batch = torch.randn(64, 512, device=DEVICE)
    scored = model(batch)
    scores.append(scored)
    meter.step()
meter.finish()
