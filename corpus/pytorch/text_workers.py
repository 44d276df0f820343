"""A data set of strings, read by two workers."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, count):
        self.lines = [f"line {i} of the text, {i * i}" for i in range(count)]

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        line = self.lines[index]
        codes = torch.zeros(64)
        codes[:len(line)] = torch.tensor([float(ord(c)) for c in line[:64]])
        return codes


def main():
    torch.manual_seed(19)
    torch.set_num_threads(1)
    loader = DataLoader(Lines(60_000), batch_size=100, shuffle=True, num_workers=2)
    model = nn.Linear(64, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for step, codes in zip(range(100), loader):
        loss = model(codes).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(step, loss.item())


if __name__ == "__main__":
    main()
