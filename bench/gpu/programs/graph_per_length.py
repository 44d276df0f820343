"""Run a network by a captured CUDA graph for each length of its input."""
import torch
from torch import nn

from shared.meter import torch_meter

STEPS = 150
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256)).cuda()
graphs = {}


def captured(length):
    example = torch.randn(length, 256, device="cuda")
    model(example)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = model(example)
    return graph, example, output


meter = torch_meter(STEPS)
with torch.no_grad():
    for step in range(STEPS):
        length = 1000 + step
        if length not in graphs:
            graphs[length] = captured(length)
        graph, example, output = graphs[length]
        example.normal_()
        graph.replay()
        meter.step()
meter.finish()
