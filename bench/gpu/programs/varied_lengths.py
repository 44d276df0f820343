"""Train a transformer on sequences of 500 different lengths."""
import random

import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 600
torch.manual_seed(0)
wide = size(256)
layer = nn.TransformerEncoderLayer(wide, 8, 4 * wide, batch_first=True)
model = nn.TransformerEncoder(layer, 2).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
lengths = random.Random(0).sample(range(12, 512), 500)
meter = torch_meter(STEPS)
for step in range(STEPS):
    tokens = torch.randn(size(8), size(lengths[step % 500]), wide, device=DEVICE)
    loss = model(tokens).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.step()
meter.finish()
