"""Train with an experiment tracker that converts what it gets."""
import torch
from torch import nn


class Tracker:
    def __init__(self, name):
        self.name = name
        self.steps, self.losses = [], []

    def log(self, step, loss):
        self.steps.append(step)
        self.losses.append(float(loss))

    def summary(self):
        return f"{self.name}: step {self.steps[-1]}, loss {self.losses[-1]:.4f}"


def main():
    torch.manual_seed(8)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(50, 200), nn.ReLU(), nn.Linear(200, 50))
    optimizer = torch.optim.Adam(model.parameters())
    tracker = Tracker("autoencoder")
    for step in range(250):
        x = torch.randn(32, 50)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tracker.log(step, loss)
    print(tracker.summary())


if __name__ == "__main__":
    main()
