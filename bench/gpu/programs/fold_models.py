"""Train a model on each of sixty parts of the data, and compare the models afterwards."""
import torch
from torch import nn

from shared.meter import DEVICE, size, torch_meter

FOLDS, STEPS = 60, 10
torch.manual_seed(0)
wide = size(1024)
folds = []
meter = torch_meter(FOLDS * STEPS)
for fold in range(FOLDS):
    model = nn.Sequential(nn.Linear(512, wide), nn.ReLU(), nn.Linear(wide, 512)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        inputs = torch.randn(128, 512, device=DEVICE)
        loss = nn.functional.mse_loss(model(inputs), inputs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.step()
    folds.append((model, optimizer))
meter.finish()
