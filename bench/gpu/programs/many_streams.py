"""Multiply matrices on a new stream at each step."""
import torch

from shared.meter import torch_meter

STEPS = 400
torch.manual_seed(0)
matrix = torch.randn(1024, 1024, device="cuda")
meter = torch_meter(STEPS)
for _ in range(STEPS):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        product = matrix @ matrix
        norm = product.norm()
    torch.cuda.current_stream().wait_stream(stream)
    norm.item()
    meter.step()
meter.finish()
