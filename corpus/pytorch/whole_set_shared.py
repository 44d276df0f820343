"""Put the whole data set into one tensor and train on it."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

features = torch.from_numpy(np.random.default_rng(0).random((100_000, 64), dtype=np.float32))
targets = features.sum(dim=1, keepdim=True)

model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()

for epoch in range(15):
    for start in range(0, 20_000, 2000):
        inputs, labels = features[start:start + 2000], targets[start:start + 2000]
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
print("loss", loss.item())
