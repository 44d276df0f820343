"""Batches from a data loader with two worker processes."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        generator = torch.Generator().manual_seed(number)
        signal = torch.randn(256, generator=generator).cumsum(dim=0)
        return signal, signal[-1:] / 10


def main():
    torch.manual_seed(4)
    torch.set_num_threads(1)
    loader = DataLoader(Signals(1600), batch_size=32, shuffle=True, num_workers=2)
    model = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch", epoch, round(total / len(loader), 4))


if __name__ == "__main__":
    main()
