"""Take one batch of a loader at each step."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(14)
    torch.set_num_threads(1)
    data = TensorDataset(torch.randn(320, 128))
    loader = DataLoader(data, batch_size=16, num_workers=2, shuffle=True)
    model = nn.Linear(128, 128)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(40):
        x, = next(iter(loader))
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
