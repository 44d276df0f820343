"""A layer that adds its input in a loop, under a tape."""
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
    for step in range(25):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = layer(x)
        slope = tape.gradient(total, x)
    print(float(tf.reduce_mean(total)))


if __name__ == "__main__":
    main()
