"""Read a folder of samples, then train a regressor on them."""
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn


def write_samples(folder, count):
    rng = np.random.default_rng(3)
    for number in range(count):
        np.save(folder / f"{number:04d}.npy", rng.random((64, 200), dtype=np.float32))


def read_samples(folder):
    samples = []
    for path in sorted(folder.glob("*.npy")):
        table = torch.from_numpy(np.load(path))
        samples.append((table, table.mean(dim=1, keepdim=True)))
    return samples


torch.manual_seed(0)
torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as name:
    write_samples(Path(name), 150)
    samples = read_samples(Path(name))
print(len(samples), "samples")

model = nn.Sequential(nn.Linear(200, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    x, y = samples[step % len(samples)]
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, round(loss.item(), 5))
