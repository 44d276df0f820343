"""An array that is made anew at each turn."""
import jax.numpy as jnp


def main():
    for turn in range(400):
        values = jnp.ones(250_000) * turn
    print(float(values[0]))


if __name__ == "__main__":
    main()
