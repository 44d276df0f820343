"""A training step of about 10 ms: a small convolution and an attention layer.

    transformer.py STEPS

Prints nanoseconds of processor time per step, after a warm-up of a fifth.
"""
import sys
import time

import torch
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 96, 4, stride=4)
        self.attention = nn.TransformerEncoderLayer(96, 4, 192, batch_first=True)
        self.head = nn.Linear(96, 10)

    def forward(self, images):
        tokens = self.patches(images).flatten(2).transpose(1, 2)
        return self.head(self.attention(tokens).mean(dim=1))


model = Net()
optimizer = torch.optim.AdamW(model.parameters())
images, labels = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))


def train(count):
    for _ in range(count):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()


train(steps // 5)
begin = time.process_time_ns()
train(steps)
print((time.process_time_ns() - begin) / steps)
