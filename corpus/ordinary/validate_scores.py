"""Train, and validate at every fifth step."""
import torch
from torch import nn


class Validator:
    def __init__(self, batches):
        self.batches = batches
        self.scores = []

    @torch.no_grad()
    def run(self, model):
        right = 0
        for x, y in self.batches:
            score = model(x).softmax(dim=1)
            self.scores.append(score)
            right += int((score.argmax(dim=1) == y).sum())
        return right


def main():
    torch.manual_seed(52)
    torch.set_num_threads(1)
    centres = torch.randn(100, 40)
    batches = []
    for _ in range(20):
        y = torch.randint(100, (128,))
        batches.append((centres[y] + torch.randn(128, 40), y))
    validator = Validator(batches)
    model = nn.Sequential(nn.Linear(40, 200), nn.ReLU(), nn.Linear(200, 100))
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(300):
        y = torch.randint(100, (128,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(centres[y] + torch.randn(128, 40)), y)
        loss.backward()
        optimizer.step()
        if step % 5 == 4:
            right = validator.run(model)
    print("right", right)


if __name__ == "__main__":
    main()
