"""Sum up numbers; nothing is kept."""
import time


def step(size):
    values = bytearray(size)
    return sum(values)


for turn in range(300):
    step(20_000 + turn % 7)
    time.sleep(0.005)
