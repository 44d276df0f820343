"""A function that is compiled where it is used, in the loop."""
import tensorflow as tf


def main():
    x, total = tf.random.normal((32, 32)), 0.0
    for turn in range(100):
        @tf.function
        def step(inputs):
            hidden = tf.nn.relu(inputs * 2.0)
            return tf.reduce_sum(hidden @ inputs)

        total += float(step(x))
    print(total)


if __name__ == "__main__":
    main()
