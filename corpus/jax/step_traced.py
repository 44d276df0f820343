"""Training; the number of the step is an argument like any other."""
import jax
import jax.numpy as jnp


def loss(weights, x, y):
    return jnp.mean((jnp.tanh(x @ weights["a"]) @ weights["b"] - y) ** 2)


@jax.jit
def train(weights, x, y, step):
    slopes = jax.grad(loss)(weights, x, y)
    return jax.tree.map(lambda w, s: w - 0.1 / (1 + step) * s, weights, slopes)


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    x, y = jax.random.normal(keys[0], (64, 32)), jax.random.normal(keys[1], (64, 1))
    weights = {"a": jax.random.normal(keys[2], (32, 64)), "b": jax.random.normal(keys[3], (64, 1))}
    for step in range(600):
        weights = train(weights, x, y, step=step)
    print(float(loss(weights, x, y)))


if __name__ == "__main__":
    main()
