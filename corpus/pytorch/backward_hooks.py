"""Gradient penalty with backward hooks that watch the norms."""
import torch
from torch import nn

norms = {}


def watch(module, grad_input, grad_output):
    norms[module] = grad_output[0].detach().norm().item()


def main():
    torch.manual_seed(10)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 1))
    for layer in model:
        layer.register_full_backward_hook(watch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(150):
        x = torch.randn(32, 64)
        loss = model(x).square().mean()
        loss.backward(create_graph=True)
        optimizer.step()
        for parameter in model.parameters():
            parameter.grad = None
    print(loss.item(), sum(norms.values()))


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    main()
