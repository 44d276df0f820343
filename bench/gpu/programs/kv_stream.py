"""Follow a stream with a small decoder that looks back at all tokens."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

STEPS = 400
torch.manual_seed(0)
wide = size(512)
project = nn.Linear(wide, 3 * wide).to(DEVICE)
keys = torch.empty(size(32), 0, wide, device=DEVICE)
values = torch.empty(size(32), 0, wide, device=DEVICE)
meter = torch_meter(STEPS)
with torch.no_grad():
    for _ in range(STEPS):
        token = torch.randn(size(32), 1, wide, device=DEVICE)
        query, key, value = project(token).chunk(3, dim=-1)
        keys = torch.cat([keys, key], dim=1)
        values = torch.cat([values, value], dim=1)
        output = nn.functional.scaled_dot_product_attention(query, keys, values)
        meter.step()
meter.finish()
