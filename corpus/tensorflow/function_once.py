"""A function that is compiled once, before the loop."""
import tensorflow as tf


@tf.function
def step(inputs):
    hidden = tf.nn.relu(inputs * 2.0)
    return tf.reduce_sum(hidden @ inputs)


def main():
    x, total = tf.random.normal((32, 32)), 0.0
    for turn in range(400):
        total += float(step(x))
    print(total)


if __name__ == "__main__":
    main()
