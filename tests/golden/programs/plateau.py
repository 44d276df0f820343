"""Keep the last hundred frames: memory rises, then stays."""
import collections
import time

recent = collections.deque(maxlen=100)

for frame in range(400):
    recent.append(bytearray(100_000))
    time.sleep(0.004)
