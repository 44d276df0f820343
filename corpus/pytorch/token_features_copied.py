"""Extract the first token's features from an encoder."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)

    def forward(self, x):
        return self.layer(x) + x


@torch.no_grad()
def extract(model, batches, count):
    features = torch.empty(count, 16, 64)
    for number, x in enumerate(batches):
        out = model(x)
        features[number] = out[:, 0]
    return features.flatten(0, 1)


def main():
    torch.manual_seed(6)
    torch.set_num_threads(1)
    model = Encoder().train()
    batches = (torch.randn(16, 32, 64) for _ in range(120))
    print(extract(model, batches, 120).shape)


if __name__ == "__main__":
    main()
