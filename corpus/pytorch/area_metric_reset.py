"""Track the area under the curve while training."""
import torch
from torch import nn
from torchmetrics.classification import BinaryAUROC


def main():
    torch.manual_seed(21)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters())
    metric = BinaryAUROC()
    for epoch in range(10):
        for step in range(15):
            x = torch.randn(1600, 20)
            y = (x[:, 0] > 0).long()
            out = model(x).squeeze(-1)
            loss = nn.functional.binary_cross_entropy_with_logits(out, y.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            metric.update(out.detach(), y)
        area = metric.compute().item()
        metric.reset()
    print(area)


if __name__ == "__main__":
    main()
