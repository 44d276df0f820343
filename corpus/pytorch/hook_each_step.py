"""Compare the features of a layer with the inputs they came from."""
import torch
from torch import nn


class Probe:
    def __init__(self, layer):
        self.layer = layer
        self.level = 0.0

    def attach(self, batch):
        def compare(module, inputs, output):
            self.level += float(output.detach().mean() - batch.mean())

        self.layer.register_forward_hook(compare)


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    probe = Probe(model[0])
    for step in range(80):
        x = torch.randn(64, 128)
        probe.attach(x)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), probe.level)


if __name__ == "__main__":
    main()
