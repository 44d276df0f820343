"""Train a classifier and look at the activations of its first layer."""
import torch
from torch import nn

activations = {}


def remember(module, inputs, output):
    activations["first"] = output.detach().mean().item()


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(100, 256), nn.ReLU(), nn.Linear(256, 10))
    handle = model[0].register_forward_hook(remember)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(150):
        x = torch.randn(64, 100)
        labels = torch.randint(0, 10, (64,))
        loss = nn.functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    handle.remove()
    print("mean activation", activations["first"])


if __name__ == "__main__":
    main()
