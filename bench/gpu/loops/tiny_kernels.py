"""The worst case: a hundred tiny kernels, each with a block of its own for its result.

    tiny_kernels.py STEPS
"""
import sys

import torch
from blocks import DEVICE, time_steps

value = torch.ones(1000, device=DEVICE)


def step():
    result = value
    for _ in range(50):
        result = result * 0.5
        result = result + 1.0


time_steps(step, int(sys.argv[1]))
