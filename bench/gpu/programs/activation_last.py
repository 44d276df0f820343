"""Train a classifier, and look at the activations of its first layer."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
activations = {}


def remember(_module, _inputs, output):
    activations["first"] = output


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 10)).to(DEVICE)
model[0].register_forward_hook(remember)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
meter = torch_meter(STEPS)
for _ in range(STEPS):
    inputs = torch.randn(64, 512, device=DEVICE)
    labels = torch.randint(0, 10, (64,), device=DEVICE)
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.step()
meter.finish()
