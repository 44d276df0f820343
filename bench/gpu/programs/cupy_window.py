"""Filter frames with CuPy, and compare each with the five before."""
from collections import deque

import cupy

from shared.meter import cupy_meter

STEPS = 400
cupy.random.seed(0)
frames = deque(maxlen=5)
meter = cupy_meter(STEPS)
for _ in range(STEPS):
    noise = cupy.random.standard_normal((128, 128), dtype=cupy.float32)
    frame = cupy.tanh(noise)
    frames.append(frame)
    meter.step()
meter.finish()
