"""Send outputs to a writer thread."""
import queue
import threading

import torch
from torch import nn

outbox = queue.Queue()
stop = threading.Event()


def writer():
    stop.wait()


def main():
    torch.manual_seed(8)
    torch.set_num_threads(1)
    thread = threading.Thread(target=writer, daemon=True)
    thread.start()
    model = nn.Linear(32, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(200):
        out = model(torch.randn(64, 32))
        loss = out.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outbox.put((step, out.detach().clone()))
    stop.set()
    thread.join()
    print(loss.item(), outbox.qsize())


if __name__ == "__main__":
    main()
