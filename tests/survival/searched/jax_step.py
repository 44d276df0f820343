"""JAX: a compiled step, as wide as the first argument says, whose results are not waited for."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import sys
from collections import deque

import jax
import jax.numpy as jnp

WIDTH, BEHIND = int(sys.argv[1]), 3


@jax.jit
def step(weights, x):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean(jnp.square(jnp.tanh(x @ w))))(weights)
    return weights - 0.1 * slope, loss, jnp.full((SIZE,), loss)


work = Work()
kept = [None] * KEPT
weights = jax.random.normal(jax.random.PRNGKey(8), (WIDTH, WIDTH))
x = jax.random.normal(jax.random.PRNGKey(9), (64, WIDTH))
losses, number = deque(), 0
while work.goes_on():
    weights, loss, block = step(weights, x)
    kept[number % KEPT] = block
    losses.append(loss)
    number += 1
    if len(losses) > BEHIND:
        work.did(losses.popleft())
work.tell()
