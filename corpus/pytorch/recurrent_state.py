"""Evaluate a recurrent network on a long sequence, chunk by chunk."""
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(16, 48)
        self.out = nn.Linear(48, 4)

    def forward(self, chunk, hidden):
        outputs = []
        for x in chunk:
            hidden = self.cell(x, hidden)
            outputs.append(self.out(hidden))
        return torch.stack(outputs), hidden


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    model = Tagger()
    model.eval()
    hidden = torch.zeros(8, 48)
    total = 0.0
    for step in range(150):
        chunk = torch.randn(6, 8, 16)
        scores, hidden = model(chunk, hidden)
        total += scores.square().mean().item()
    print(total / 150, hidden.norm().item())


if __name__ == "__main__":
    main()
