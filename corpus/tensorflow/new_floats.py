"""A tensor that is scaled by an ever new Python number."""
import tensorflow as tf


def main():
    x = tf.ones((4, 4))
    total = tf.zeros((4, 4))
    for step in range(20000):
        total = total * 0.5 + x * (1.0 + step * 1e-5)
    print(float(total[0, 0]))


if __name__ == "__main__":
    main()
