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
def extract(model, batches):
    features = []
    for x in batches:
        out = model(x)
        features.append(out[:, 0])
    return torch.cat(features)


def main():
    torch.manual_seed(6)
    torch.set_num_threads(1)
    model = Encoder().train()
    batches = (torch.randn(16, 32, 64) for _ in range(120))
    print(extract(model, batches).shape)


if __name__ == "__main__":
    main()
