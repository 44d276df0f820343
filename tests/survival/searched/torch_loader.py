"""PyTorch training on what two worker processes load."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import torch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 24

    def __getitem__(self, index):
        return torch.randn(128, generator=torch.Generator().manual_seed(index))


torch.set_num_threads(1)
torch.manual_seed(3)
work = Work()
kept = [None] * KEPT
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())
batches = iter(torch.utils.data.DataLoader(Numbers(), batch_size=32, num_workers=2))
while work.goes_on():
    optimizer.zero_grad()
    loss = model(next(batches)).square().mean()
    loss.backward()
    optimizer.step()
    kept[work.steps % KEPT] = torch.full((SIZE,), loss.item())
    work.did(loss.item())
work.tell()
