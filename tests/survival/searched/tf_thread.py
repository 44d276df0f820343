"""A tf.function, while a second Python thread keeps TensorFlow's threads busy with another."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import threading

import tensorflow as tf


@tf.function
def step(x):
    loss = tf.reduce_mean(tf.square(x @ weights))
    weights.assign_sub(0.01 * tf.gradients(loss, weights)[0])
    return loss


@tf.function
def burn(x):
    for _ in range(8):
        x = tf.tanh(x @ x)
    return x


def keep_busy():
    x = tf.random.normal((400, 400))
    while not done.is_set():
        x = burn(x)


tf.random.set_seed(5)
work = Work()
kept = [None] * KEPT
weights = tf.Variable(tf.random.normal((256, 256)))
rows = [tf.random.normal((64, 256)) for _ in range(8)]
done = threading.Event()
thread = threading.Thread(target=keep_busy)
thread.start()
while work.goes_on():
    loss = step(rows[work.steps % len(rows)])
    kept[work.steps % KEPT] = tf.fill((SIZE,), loss)
    work.did(loss)
work.tell()
done.set()
thread.join()
