"""A new loader for every epoch, with workers."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(5)
    torch.set_num_threads(1)
    data = TensorDataset(torch.randn(160, 64), torch.randn(160, 1))
    model = nn.Linear(64, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(15):
        loader = DataLoader(data, batch_size=16, num_workers=1, persistent_workers=True)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        del loader
    print(loss.item())


if __name__ == "__main__":
    main()
