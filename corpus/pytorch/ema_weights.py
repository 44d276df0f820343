"""Train with an exponential moving average of the weights."""
import copy

import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for mine, theirs in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(theirs, 1.0 - self.decay)


def main():
    torch.manual_seed(12)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    average = Average(model, 0.99)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(200):
        x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
    print(loss.item(), average.model(x).std().item())


if __name__ == "__main__":
    main()
