"""Train for fifty steps, save, load the file again and train for fifty more."""
import tempfile
from pathlib import Path

import torch
from torch import nn

torch.set_num_threads(1)


def build():
    model = nn.Sequential(nn.Linear(80, 400), nn.ReLU(), nn.Linear(400, 80))
    return model, torch.optim.Adam(model.parameters(), lr=1e-3)


def run(model, optimizer, steps):
    for _ in range(steps):
        x = torch.rand(64, 80)
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(x), x.flip(1))
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(13)
    model, optimizer = build()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "half.pt"
        print(run(model, optimizer, 50))
        torch.save((model.state_dict(), optimizer.state_dict()), path)
        del model, optimizer
        model, optimizer = build()
        weights, state = torch.load(path, weights_only=True)
        model.load_state_dict(weights)
        optimizer.load_state_dict(state)
        print(run(model, optimizer, 50))


if __name__ == "__main__":
    main()
