"""A training step that is compiled by jax.jit, called in a loop; the program waits for every hundredth.

    jit_step.py STEPS

Prints nanoseconds of processor time per step, after a warm-up of a fifth, which compiles.
"""
import os
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

steps = int(sys.argv[1])
keys = jax.random.split(jax.random.key(0), 4)
x, y = jax.random.normal(keys[0], (256, 128)), jax.random.normal(keys[1], (256, 1))
weights = (jax.random.normal(keys[2], (128, 256)) / 16, jax.random.normal(keys[3], (256, 1)) / 16)


def loss(parts, inputs, targets):
    return jnp.mean((jax.nn.relu(inputs @ parts[0]) @ parts[1] - targets) ** 2)


@jax.jit
def step(parts, inputs, targets):
    slopes = jax.grad(loss)(parts, inputs, targets)
    return tuple(part - 0.01 * slope for part, slope in zip(parts, slopes))


def train(parts, count):
    for turn in range(count):
        parts = step(parts, x, y)
        if turn % 100 == 99:
            parts[0].block_until_ready()
    return jax.block_until_ready(parts)


weights = train(weights, max(2, steps // 5))
begin = time.process_time_ns()
train(weights, steps)
print((time.process_time_ns() - begin) / steps)
