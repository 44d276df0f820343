"""Train a classifier and validate it at every tenth step."""
import torch
from torch import nn


@torch.no_grad()
def validate(model, batches):
    model.eval()
    scores, truth = [], []
    for x, y in batches:
        scores.append(model(x).softmax(dim=1))
        truth.append(y)
    model.train()
    guess = torch.cat(scores).argmax(dim=1)
    return (guess == torch.cat(truth)).float().mean().item()


def main():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    centres = torch.randn(8, 100) / 3
    held_out = []
    for _ in range(30):
        y = torch.randint(8, (64,))
        held_out.append((centres[y] + torch.randn(64, 100), y))
    model = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Dropout(0.2), nn.Linear(300, 8))
    optimizer = torch.optim.Adam(model.parameters())
    accuracy = []
    for step in range(200):
        y = torch.randint(8, (64,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(centres[y] + torch.randn(64, 100)), y)
        loss.backward()
        optimizer.step()
        if (step + 1) % 10 == 0:
            accuracy.append(validate(model, held_out))
    print([round(value, 2) for value in accuracy])


if __name__ == "__main__":
    main()
