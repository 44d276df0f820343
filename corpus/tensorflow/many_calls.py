"""A compiled function that is called thousands of times."""
import tensorflow as tf


@tf.function
def step(state, x):
    return state * 0.9 + x * 0.1


def main():
    state, x = tf.zeros((64, 64)), tf.random.normal((64, 64))
    for turn in range(6000):
        state = step(state, x)
    print(float(tf.reduce_sum(state)))


if __name__ == "__main__":
    main()
