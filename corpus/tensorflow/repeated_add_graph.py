"""A layer that adds its input in a loop, as a graph."""
import keras
import tensorflow as tf


class Repeated(keras.layers.Layer):
    def call(self, inputs):
        total = tf.zeros_like(inputs)
        for _ in range(100):
            total = total + inputs
        return total


def main():
    layer = Repeated()
    x = tf.random.normal((256, 1024))
    run = tf.function(layer.__call__)
    for step in range(60):
        total = run(x)
    print(float(tf.reduce_mean(total)))


if __name__ == "__main__":
    main()
