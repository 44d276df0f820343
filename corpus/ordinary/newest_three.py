"""Write a checkpoint every ten steps and keep the newest three."""
import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)


def save(folder, step, model, optimizer):
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
               folder / f"step-{step:05d}.pt")
    for old in sorted(folder.glob("step-*.pt"))[:-3]:
        old.unlink()


model = nn.LSTM(32, 96, batch_first=True)
head = nn.Linear(96, 1)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-3)
with tempfile.TemporaryDirectory() as name:
    for step in range(120):
        x = torch.randn(16, 20, 32)
        optimizer.zero_grad()
        hidden, _ = model(x)
        loss = nn.functional.mse_loss(head(hidden[:, -1]), x.mean(dim=(1, 2)).unsqueeze(1))
        loss.backward()
        optimizer.step()
        if (step + 1) % 10 == 0:
            save(Path(name), step + 1, model, optimizer)
    print(sorted(path.name for path in Path(name).iterdir()))
