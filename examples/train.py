"""Trains a small model, and keeps the loss of every step: a leak with PyTorch."""
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.history = []

    def fit(self, steps):
        for _ in range(steps):
            x, y = torch.randn(64, 16), torch.randn(64, 1)
            loss = nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.history.append(loss)


t = Trainer()
t.fit(400)
