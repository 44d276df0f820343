"""Train in epochs, and compute the accuracy at the end of each from all outputs."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

EPOCHS, STEPS = 12, 50
torch.manual_seed(0)
wide = size(1024)
model = nn.Sequential(nn.Linear(512, wide), nn.ReLU(), nn.Linear(wide, 100)).to(DEVICE)
optimizer = torch.optim.Adam(model.parameters())
meter = torch_meter(EPOCHS * STEPS)
for epoch in range(EPOCHS):
    outputs = []
    for _ in range(STEPS):
        inputs = torch.randn(256, 512, device=DEVICE)
        labels = torch.randint(0, 100, (256,), device=DEVICE)
        output = model(inputs)
        loss = nn.functional.cross_entropy(output, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outputs.append(output.detach())
        meter.step()
    spread = torch.cat(outputs).std().item()
meter.finish()
