"""Keep the first row of each output."""
import torch
from torch import nn


@torch.no_grad()
def main():
    torch.manual_seed(17)
    torch.set_num_threads(1)
    layer = nn.Linear(256, 256)
    rows = torch.empty(300, 256)
    kept = []
    for step in range(300):
        out = torch.relu(layer(torch.randn(256, 256)))
        kept.append(out[0, :16].clone())
        rows[step] = out[0]
    print(torch.stack(kept).mean().item(), rows.std().item())


if __name__ == "__main__":
    main()
