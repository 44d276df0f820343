"""Export a traced copy of the model after each epoch."""
import io
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


def export(model, example):
    traced = torch.jit.trace(model, example)
    out = io.BytesIO()
    torch.jit.save(traced, out)
    return out.tell()


def main():
    torch.manual_seed(12)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
                          nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    size = 0
    for epoch in range(60):
        x = torch.randn(32, 64)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        size += export(model, x)
    print(size, loss.item())


if __name__ == "__main__":
    main()
