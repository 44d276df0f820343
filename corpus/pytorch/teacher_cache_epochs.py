"""Distil a teacher; its outputs are cached so that they need not be computed twice."""
import torch
from torch import nn


class Teacher:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))
        self.cache = {}

    def __call__(self, key, x):
        if key not in self.cache:
            with torch.no_grad():
                self.cache[key] = self.net(x)
        return self.cache[key]


def main():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    teacher = Teacher()
    student = nn.Linear(64, 64)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
    data = torch.randn(40, 64, 64)
    for epoch in range(6):
        for number, x in enumerate(data):
            loss = nn.functional.mse_loss(student(x), teacher(number, x))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item(), len(teacher.cache))


if __name__ == "__main__":
    main()
