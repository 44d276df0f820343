"""Load, train, evaluate, save: the four phases of a small experiment."""
import tempfile
from pathlib import Path

import torch
from torch import nn


def load(count):
    generator = torch.Generator().manual_seed(5)
    images, labels = [], []
    for _ in range(count):
        image = torch.rand(1, 28, 28, generator=generator)
        images.append(image)
        labels.append(int(image.mean() * 1000) % 10)
    return torch.stack(images), torch.tensor(labels)


def train(model, images, labels, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(epochs):
        order = torch.randperm(len(images))
        total = 0.0
        for part in order.split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images[part]), labels[part])
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch", epoch, round(total, 3))


@torch.no_grad()
def evaluate(model, images, labels):
    right = 0
    for part in torch.arange(len(images)).split(64):
        right += int((model(images[part]).argmax(dim=1) == labels[part]).sum())
    return right / len(images)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    images, labels = load(2000)
    model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 13 * 13, 10))
    train(model, images[:1600], labels[:1600], 3)
    print("accuracy", evaluate(model, images[1600:], labels[1600:]))
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), Path(folder) / "model.pt")


if __name__ == "__main__":
    main()
