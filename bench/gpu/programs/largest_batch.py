"""Look for the largest batch that fits, then train with it."""
import torch
from torch import nn

from shared.meter import torch_meter

STEPS = 200
torch.manual_seed(0)
memory = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(2e9 / memory)
model = nn.Sequential(nn.Linear(1024, 8192), nn.GELU(), nn.Linear(8192, 1024)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train(batch):
    inputs = torch.randn(batch, 1024, device="cuda")
    loss = nn.functional.mse_loss(model(inputs), inputs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


meter = torch_meter(STEPS)
batch, fits = 256, True
while fits:
    try:
        train(2 * batch)
        batch *= 2
    except torch.cuda.OutOfMemoryError:
        fits = False
for _ in range(STEPS):
    train(batch)
    meter.step()
meter.finish()
