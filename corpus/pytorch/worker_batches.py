"""Read batches with two workers."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __len__(self):
        return 1920

    def __getitem__(self, index):
        return torch.sin(torch.arange(512) * (index / 500.0))


def main():
    torch.manual_seed(11)
    torch.set_num_threads(1)
    loader = DataLoader(Waves(), batch_size=16, num_workers=2)
    model = nn.Linear(512, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for batch in loader:
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
