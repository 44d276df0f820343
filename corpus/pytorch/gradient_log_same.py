"""Record the gradients of every step."""
import torch
from torch import nn


class Recorder:
    def __init__(self, model):
        self.model = model
        self.gradients = []

    def record(self):
        self.gradients.append([p.grad for p in self.model.parameters()])

    def last_norm(self):
        return sum(g.norm().item() for g in self.gradients[-1])


def main():
    torch.manual_seed(6)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(200, 200), nn.ReLU(), nn.Linear(200, 14))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    recorder = Recorder(model)
    for step in range(150):
        x = torch.randn(32, 200)
        loss = model(x).square().mean()
        loss.backward()
        recorder.record()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    print(recorder.last_norm())


if __name__ == "__main__":
    main()
