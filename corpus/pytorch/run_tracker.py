"""Train with an experiment tracker that lives in a module of its own."""
import torch
from torch import nn

from run_tracker_log import Tracker


def main():
    torch.manual_seed(8)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(50, 200), nn.ReLU(), nn.Linear(200, 50))
    optimizer = torch.optim.Adam(model.parameters())
    tracker = Tracker("autoencoder")
    for step in range(250):
        x = torch.randn(32, 50)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tracker.log({"step": step, "loss": loss})
    print(tracker.summary())


if __name__ == "__main__":
    main()
