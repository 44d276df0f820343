"""PyTorch training, one thread."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import torch

torch.set_num_threads(1)
torch.manual_seed(1)
work = Work()
kept = [None] * KEPT
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())
while work.goes_on():
    optimizer.zero_grad()
    loss = model(torch.randn(64, 128)).square().mean()
    loss.backward()
    optimizer.step()
    kept[work.steps % KEPT] = torch.full((SIZE,), loss.item())
    work.did(loss.item())
work.tell()
