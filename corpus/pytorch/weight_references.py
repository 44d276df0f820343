"""Keep the weights now and then, to look at them at the end."""
import torch
from torch import nn


def main():
    torch.manual_seed(24)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(128, 200), nn.ReLU(), nn.Linear(200, 36))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    snapshots = []
    for step in range(200):
        loss = model(torch.randn(32, 128)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            snapshots.append(model.state_dict())
    print(len(snapshots), snapshots[0]["0.weight"].norm().item())


if __name__ == "__main__":
    main()
