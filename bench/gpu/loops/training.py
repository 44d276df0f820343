"""A small transformer is trained.

    training.py STEPS
"""
import sys

import torch
from blocks import DEVICE, time_steps
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 4), nn.Linear(256, 100)).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def step():
    tokens = torch.randn(16, 128, 256, device=DEVICE)
    labels = torch.randint(0, 100, (16 * 128,), device=DEVICE)
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


time_steps(step, int(sys.argv[1]))
