"""A training step that is compiled by tf.function, called in a loop.

    graph_step.py STEPS

Prints nanoseconds of processor time per step, after a warm-up of a fifth, which compiles.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402

steps = int(sys.argv[1])
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.random.set_seed(0)
first = tf.Variable(tf.random.normal((128, 256)) / 16)
second = tf.Variable(tf.random.normal((256, 1)) / 16)
x, y = tf.random.normal((256, 128)), tf.random.normal((256, 1))


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.nn.relu(x @ first) @ second - y) ** 2)
    for weights, slope in zip((first, second), tape.gradient(loss, (first, second))):
        weights.assign_sub(0.01 * slope)
    return loss


def train(count):
    for _ in range(count):
        step()


train(max(2, steps // 5))
begin = time.process_time_ns()
train(steps)
print((time.process_time_ns() - begin) / steps)
