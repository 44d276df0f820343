"""A scale that decays with the steps, given to a compiled function as a tensor."""
import tensorflow as tf


@tf.function
def step(x, scale):
    hidden = tf.nn.relu(x * scale)
    return tf.reduce_sum(hidden @ hidden) / (1.0 + scale)


def main():
    x = tf.random.normal((32, 32))
    total = 0.0
    for turn in range(400):
        total += float(step(x, tf.constant(1.0 / (turn + 1))))
    print(total)


if __name__ == "__main__":
    main()
