"""A compiled module that calls a function excluded from compilation."""
import torch
from torch import nn


@torch.compiler.disable
def mix(x):
    return x + x.flip(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(128, 128)

    def forward(self, x):
        return torch.relu(self.layer(mix(x)))


@torch.inference_mode()
def main():
    torch.manual_seed(11)
    torch.set_num_threads(1)
    block = torch.compile(Block(), backend="eager")
    total = 0.0
    for step in range(200):
        total += block(torch.randn(128, 128)).mean().item()
    print(total)


if __name__ == "__main__":
    main()
