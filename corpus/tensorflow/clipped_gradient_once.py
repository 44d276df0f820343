"""A function with a gradient of its own, compiled once for all data sets."""
import numpy as np
import tensorflow as tf


@tf.custom_gradient
def clipped(x):
    def gradient(upstream):
        return tf.clip_by_norm(upstream, 1.0)

    return tf.identity(x), gradient


@tf.function
def score(inputs, table):
    return tf.reduce_sum(clipped(inputs @ table))


def main():
    chance = np.random.default_rng(7)
    x = tf.random.normal((4, 256))
    for turn in range(300):
        table = chance.random((256, 256), dtype=np.float32)
        total = float(score(x, tf.constant(table)))
    print(total)


if __name__ == "__main__":
    main()
