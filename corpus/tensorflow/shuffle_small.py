"""Many small elements, shuffled in each epoch."""
import numpy as np
import tensorflow as tf


def main():
    rows = np.random.default_rng(4).random((20000, 64), dtype=np.float32)
    stream = tf.data.Dataset.from_tensor_slices(rows).shuffle(20000).batch(256)
    for epoch in range(16):
        total = 0.0
        for batch in stream:
            total += float(tf.reduce_mean(batch))
    print(total)


if __name__ == "__main__":
    main()
