"""Learn tasks one after another, an adapter for each."""
import torch
from torch import nn


class Learner:
    def __init__(self):
        self.body = nn.Linear(64, 64)
        self.optimizer = torch.optim.Adam(self.body.parameters(), lr=1e-3)

    def new_adapter(self):
        adapter = nn.Linear(64, 64)
        self.optimizer.add_param_group({"params": adapter.parameters()})
        return adapter

    def learn(self):
        adapter = self.new_adapter()
        x = torch.randn(32, 64)
        loss = adapter(self.body(x)).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(10)
    torch.set_num_threads(1)
    learner = Learner()
    total = sum(learner.learn() for _ in range(60))
    print(total)


if __name__ == "__main__":
    main()
