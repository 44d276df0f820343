"""A writer of summaries per epoch."""
import tempfile

import tensorflow as tf


def main():
    x = tf.random.normal((64, 64))
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(80):
            writer = tf.summary.create_file_writer(folder)
            with writer.as_default(step=epoch):
                tf.summary.write("loss", tf.reduce_mean(x * x))
            writer.flush()


if __name__ == "__main__":
    main()
