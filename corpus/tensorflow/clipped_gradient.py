"""A function with a gradient of its own, compiled for each data set."""
import gc

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def clipped(x):
    def gradient(upstream):
        return tf.clip_by_norm(upstream, 1.0)

    return tf.identity(x), gradient


def main():
    chance = np.random.default_rng(7)
    x = tf.random.normal((4, 256))
    for turn in range(80):
        table = chance.random((256, 256), dtype=np.float32)

        @tf.function
        def score(inputs):
            return tf.reduce_sum(clipped(inputs @ tf.constant(table)))

        total = float(score(x))
        del score
        gc.collect()
    print(total)


if __name__ == "__main__":
    main()
