"""Answer requests with a small decoder: the keys and values of a request are used until its last token."""
import random

import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

REQUESTS, LAYERS = 50, 2
torch.manual_seed(0)
wide = size(512)
projections = [nn.Linear(wide, 3 * wide).to(DEVICE) for _ in range(LAYERS)]
lengths = [random.Random(i).randrange(4, 20) for i in range(REQUESTS)]


def decode(token, cache):
    for layer, project in enumerate(projections):
        query, key, value = project(token).chunk(3, dim=-1)
        if layer in cache:
            key = torch.cat([cache[layer][0], key], dim=1)
            value = torch.cat([cache[layer][1], value], dim=1)
        cache[layer] = (key, value)
        token = nn.functional.scaled_dot_product_attention(query, key, value)
    return token


meter = torch_meter(sum(lengths))
with torch.no_grad():
    for length in lengths:
        cache = {}
        token = torch.randn(size(32), 1, wide, device=DEVICE)
        for _ in range(length):
            token = decode(token, cache)
            meter.step()
meter.finish()
