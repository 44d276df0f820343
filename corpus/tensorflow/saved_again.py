"""A saved model that is loaded for each job."""
import gc
import tempfile

import tensorflow as tf


class Scorer(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.random.normal((256, 256)))

    @tf.function(input_signature=[tf.TensorSpec((None, 256))])
    def score(self, x):
        return tf.nn.relu(x @ self.weights)


def main():
    x = tf.random.normal((8, 256))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Scorer(), folder)
        for job in range(40):
            scorer = tf.saved_model.load(folder)
            total = float(tf.reduce_sum(scorer.score(x)))
            del scorer
            gc.collect()
        print(total)


if __name__ == "__main__":
    main()
