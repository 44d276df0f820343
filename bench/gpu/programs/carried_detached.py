"""Read a long sequence with a recurrent network, chunk by chunk."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(256)
reader = nn.GRU(128, wide, batch_first=True).to(DEVICE)
scorer = nn.Linear(wide, 4).to(DEVICE)
state = torch.zeros(1, size(32), wide, device=DEVICE)
mean = 0.0
meter = torch_meter(STEPS)
for step in range(STEPS):
    chunk = torch.randn(size(32), 16, 128, device=DEVICE)
    features, state = reader(chunk, state)
    state = state.detach()
    mean += scorer(features).mean().item() / STEPS
    meter.step()
meter.finish()
