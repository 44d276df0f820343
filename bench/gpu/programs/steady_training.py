"""Train a transformer on batches of one shape."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 300
torch.manual_seed(0)
wide = size(512)
layer = nn.TransformerEncoderLayer(wide, 8, 4 * wide, batch_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 4), nn.Linear(wide, 100)).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
meter = torch_meter(STEPS)
smoothed = 0.0
for step in range(STEPS):
    tokens = torch.randn(size(16), 64, wide, device=DEVICE)
    labels = torch.randint(0, 100, (size(16) * 64,), device=DEVICE)
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        smoothed = 0.9 * smoothed + 0.1 * loss.item()
    meter.step()
meter.finish()
