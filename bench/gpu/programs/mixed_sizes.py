"""Keep each tenth of many blocks, then work on, and ask for a large block now and then."""
import torch
from torch import nn

from shared.meter import torch_meter

STEPS = 300
torch.manual_seed(0)
memory = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(1.6e9 / memory)
model = nn.Linear(512, 512).cuda()
blocks = [torch.zeros(2 << 20, dtype=torch.uint8, device="cuda") for _ in range(600)]
chosen = blocks[::10]
del blocks
refused = 0
meter = torch_meter(STEPS)
with torch.no_grad():
    for step in range(STEPS):
        model(torch.randn(64, 512, device="cuda"))
        if step % 50 == 49:
            try:
                torch.zeros(800 << 20, dtype=torch.uint8, device="cuda")
            except torch.cuda.OutOfMemoryError:
                refused += 1
        meter.step()
assert refused == STEPS // 50, refused
meter.finish()
