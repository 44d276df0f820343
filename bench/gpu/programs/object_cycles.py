"""Answer requests, each an object that refers to its own method."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 600
torch.manual_seed(0)
wide = size(512)
model = nn.Linear(wide, wide).to(DEVICE)


class Request:
    def __init__(self):
        self.batch = torch.randn(size(256), wide, device=DEVICE)
        self.answer = None
        self.finish = self.run

    def run(self):
        self.answer = model(self.batch)


meter = torch_meter(STEPS)
with torch.no_grad():
    for _ in range(STEPS):
        Request().finish()
        meter.step()
meter.finish()
