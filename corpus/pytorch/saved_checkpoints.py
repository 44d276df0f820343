"""Save a checkpoint every ten steps; the best weights are kept aside."""
import copy
import os
import tempfile

import torch
from torch import nn


def main():
    torch.manual_seed(14)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(100, 150), nn.ReLU(), nn.Linear(150, 100))
    optimizer = torch.optim.Adam(model.parameters())
    best, best_weights = float("inf"), None
    with tempfile.TemporaryDirectory() as folder:
        for step in range(150):
            x = torch.randn(32, 100)
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 9:
                path = os.path.join(folder, "last.pt")
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
                if loss.item() < best:
                    best, best_weights = loss.item(), copy.deepcopy(model.state_dict())
        state = torch.load(os.path.join(folder, "last.pt"))
    print(best, len(best_weights), len(state["optimizer"]))


if __name__ == "__main__":
    main()
