"""Keep a few blocks and end: too few turns to judge."""
import time

kept = []

for turn in range(6):
    kept.append(bytearray(500_000))
    time.sleep(0.05)
