"""PyTorch training, two threads within an operation."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import torch

torch.set_num_threads(2)
torch.manual_seed(2)
work = Work()
kept = [None] * KEPT
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
optimizer = torch.optim.Adam(model.parameters())
while work.goes_on():
    optimizer.zero_grad()
    loss = model(torch.randn(256, 512)).square().mean()
    loss.backward()
    optimizer.step()
    kept[work.steps % KEPT] = torch.full((SIZE,), loss.item())
    work.did(loss.item())
work.tell()
