"""A compiled function called with a new length each step."""
import logging

import torch

logging.disable(logging.WARNING)


def score(x, w):
    return torch.tanh(x @ w).sum()


def main():
    torch.manual_seed(20)
    torch.set_num_threads(1)
    w = torch.randn(128, 64, requires_grad=True)
    compiled = torch.compile(score, backend="eager", dynamic=False)
    optimizer = torch.optim.SGD([w], lr=1e-3)
    for step in range(120):
        loss = compiled(torch.randn(40 + step, 128), w)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
