"""Learn from a ring of 200 past transitions."""
import random
from collections import deque

import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 600
torch.manual_seed(0)
wide = size(512)
network = nn.Sequential(nn.Linear(4096, wide), nn.ReLU(), nn.Linear(wide, 6)).to(DEVICE)
optimizer = torch.optim.Adam(network.parameters())
memory = deque(maxlen=200)
state = torch.zeros(4096, device=DEVICE)
chance = random.Random(0)
meter = torch_meter(STEPS)
for _ in range(STEPS):
    with torch.no_grad():
        action = network(state).argmax()
    following = state * 0.9 + torch.randn(4096, device=DEVICE)
    memory.append((state, action, following))
    state = following
    batch = chance.choices(memory, k=32)
    values = network(torch.stack([s for s, _, _ in batch]))
    loss = (values.max(dim=1).values - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.step()
meter.finish()
