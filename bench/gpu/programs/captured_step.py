"""Train with one captured CUDA graph that is replayed."""
import torch
from torch import nn

from shared.meter import torch_meter

STEPS, WARM_UP = 500, 3
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10)).cuda()
optimizer = torch.optim.Adam(model.parameters(), capturable=True)
inputs = torch.randn(256, 512, device="cuda")
labels = torch.randint(0, 10, (256,), device="cuda")


def train():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    for _ in range(WARM_UP):
        train()
torch.cuda.current_stream().wait_stream(stream)
optimizer.zero_grad()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = train()
meter = torch_meter(STEPS)
for step in range(STEPS):
    inputs.normal_()
    graph.replay()
    if step % 10 == 0:
        loss.item()
    meter.step()
meter.finish()
