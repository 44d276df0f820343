"""Train for a number of steps, whatever the length of an epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(512, generator=generator)


def forever(loader):
    while True:
        yield from loader


def main():
    torch.manual_seed(4)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 512))
    optimizer = torch.optim.Adam(model.parameters())
    batches = forever(DataLoader(Noise(), batch_size=32, shuffle=True))
    for step in range(200):
        batch = next(batches)
        loss = nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(step, loss.item())


if __name__ == "__main__":
    main()
