"""A small adversarial pair."""
import torch
from torch import nn


class Pair:
    def __init__(self):
        self.maker = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32))
        self.judge = nn.Sequential(nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
        self.making = torch.optim.Adam(self.maker.parameters(), lr=2e-4)
        self.judging = torch.optim.Adam(self.judge.parameters(), lr=2e-4)

    def step(self, real):
        criterion = nn.functional.binary_cross_entropy_with_logits
        fake = self.maker(torch.randn(len(real), 16))
        self.judging.zero_grad()
        right, wrong = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        loss = criterion(self.judge(real), right) + criterion(self.judge(fake.detach()), wrong)
        loss.backward()
        self.judging.step()
        self.making.zero_grad()
        other = criterion(self.judge(fake), right)
        other.backward()
        self.making.step()
        return loss.item(), other.item()


def main():
    torch.manual_seed(15)
    torch.set_num_threads(1)
    pair = Pair()
    for step in range(150):
        losses = pair.step(torch.randn(64, 32))
    print(losses)


if __name__ == "__main__":
    main()
