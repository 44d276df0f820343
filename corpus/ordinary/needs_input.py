"""Train on a file that is named on the command line."""
import argparse

import numpy as np
import torch
from torch import nn


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("data", help="an .npy file of samples")
    ask.add_argument("--steps", type=int, default=100)
    options = ask.parse_args()
    x = torch.from_numpy(np.load(options.data))
    model = nn.Linear(x.shape[1], 1)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(options.steps):
        optimizer.zero_grad()
        loss = (model(x) - x.mean(dim=1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
