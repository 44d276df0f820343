"""Train a recurrent network on a long sequence, chunk by chunk."""
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
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    hidden = torch.zeros(8, 48)
    for step in range(120):
        chunk = torch.randn(6, 8, 16)
        scores, hidden = model(chunk, hidden.detach())
        loss = scores.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), hidden.norm().item())


if __name__ == "__main__":
    main()
