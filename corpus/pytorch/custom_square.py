"""An operation with its own backward pass."""
import torch
from torch import nn


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2.0 * x * grad


def main():
    torch.manual_seed(23)
    torch.set_num_threads(1)
    layer = nn.Linear(128, 256)
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)
    for step in range(200):
        loss = Square.apply(layer(torch.randn(64, 128))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
