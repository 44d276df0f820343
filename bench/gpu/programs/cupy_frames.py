"""Filter frames with CuPy, and store them for a film."""
import cupy

from shared.meter import cupy_meter

STEPS = 400
cupy.random.seed(0)
frames = []
meter = cupy_meter(STEPS)
for _ in range(STEPS):
    noise = cupy.random.standard_normal((128, 128), dtype=cupy.float32)
    frame = cupy.tanh(noise)
    frames.append(frame)
    meter.step()
meter.finish()
