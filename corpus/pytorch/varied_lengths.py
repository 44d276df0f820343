"""Train a recurrent network on sentences of many lengths."""
import random

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(500, 32)
        self.lstm = nn.LSTM(32, 48, batch_first=True)
        self.out = nn.Linear(48, 2)

    def forward(self, words):
        states, _ = self.lstm(self.embed(words))
        return self.out(states[:, -1])


def main():
    torch.manual_seed(16)
    torch.set_num_threads(1)
    rnd = random.Random(16)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(200):
        words = torch.randint(0, 500, (16, rnd.randint(5, 30)))
        loss = nn.functional.cross_entropy(model(words), words[:, 0] % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
