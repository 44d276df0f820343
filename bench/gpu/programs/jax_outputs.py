"""Train a network with JAX, and store its outputs for a plot."""
import jax
import jax.numpy as jnp

from shared.meter import jax_meter, size

STEPS = 400
wide = size(1024)


def predict(weights, inputs):
    return jnp.tanh(inputs @ weights[0]) @ weights[1]


@jax.jit
def train(weights, inputs, labels):
    def loss(weights):
        return ((predict(weights, inputs) - labels) ** 2).mean()

    return [w - 0.01 * g for w, g in zip(weights, jax.grad(loss)(weights))]


forward = jax.jit(predict)
key = jax.random.key(0)
weights = [jax.random.normal(key, (512, wide)) / 22, jax.random.normal(key, (wide, 64)) / 32]
outputs = []
meter = jax_meter(STEPS)
for step in range(STEPS):
    inputs = jax.random.normal(jax.random.fold_in(key, step), (256, 512))
    weights = train(weights, inputs, inputs[:, :64])
    output = forward(weights, inputs)
    outputs.append(output)
    meter.step()
jax.block_until_ready(outputs)
meter.finish()
