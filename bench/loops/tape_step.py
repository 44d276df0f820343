"""An eager training step: a tape around twelve dense layers, and Adam. About 19,000 allocations.

    tape_step.py STEPS

Prints nanoseconds of processor time per step, after a warm-up of a fifth.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402

steps = int(sys.argv[1])
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((64,)),
                          *(keras.layers.Dense(64, activation="relu") for _ in range(12)),
                          keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
x, y = tf.random.normal((256, 64)), tf.random.normal((256, 1))


def train(count):
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        slopes = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(slopes, model.trainable_variables)


train(max(2, steps // 5))
begin = time.process_time_ns()
train(steps)
print((time.process_time_ns() - begin) / steps)
