"""Train with JAX, evaluate at every twentieth step, save the weights at the end."""
import tempfile
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def logits(weights, x):
    return jax.nn.relu(x @ weights["first"]) @ weights["second"]


@partial(jax.jit, static_argnames="rate")
def train(weights, x, y, rate):
    def loss(w):
        return -jnp.mean(jax.nn.log_softmax(logits(w, x))[jnp.arange(len(y)), y])
    return jax.tree.map(lambda w, g: w - rate * g, weights, jax.grad(loss)(weights))


@jax.jit
def accuracy(weights, x, y):
    return jnp.mean(logits(weights, x).argmax(axis=1) == y)


rng = np.random.default_rng(32)
centres = rng.normal(size=(10, 80))
weights = {"first": jnp.asarray(rng.normal(size=(80, 200)) / 9), "second": jnp.zeros((200, 10))}
test_y = rng.integers(10, size=1000)
test_x = centres[test_y] + 2 * rng.normal(size=(1000, 80))
for number in range(300):
    y = rng.integers(10, size=128)
    weights = train(weights, centres[y] + 2 * rng.normal(size=(128, 80)), y, 0.1)
    if number % 20 == 19:
        print(number + 1, round(float(accuracy(weights, test_x, test_y)), 3))
with tempfile.NamedTemporaryFile(suffix=".npz") as out:
    np.savez(out, **weights)
