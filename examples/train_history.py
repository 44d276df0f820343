"""Trains a toy model, and keeps every batch for a plot that is never drawn."""
import time


class Tracker:
    def __init__(self):
        self.history = []
        self.best = None

    def log(self, batch, loss):
        self.history.append((batch, loss))
        self.best = min(loss, self.best or loss)


def load_batch(number):
    return bytearray(40_000 + number % 7 * 100)


def forward(batch):
    activations = [bytes(3000) for _ in range(20)]
    return sum(len(layer) for layer in activations) / len(batch)


tracker = Tracker()
for step in range(600):
    batch = load_batch(step)
    loss = forward(batch)
    tracker.log(batch, loss)
    time.sleep(0.004)
print(f"loss {tracker.best:.4f}")
