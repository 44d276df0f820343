"""TensorFlow's threads call Python: a generator, and a function for each of its rows."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import numpy as np
import tensorflow as tf


def generate():
    chance = np.random.default_rng(7)
    number = 0
    while True:
        kept[number % KEPT] = np.full(SIZE, number, np.float32)
        number += 1
        yield chance.random((64, 64), np.float32)


def turn(rows):
    return np.tanh(rows.numpy() @ rows.numpy())


work = Work()
kept = [None] * KEPT
stream = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((64, 64), tf.float32))
batches = iter(stream.map(lambda rows: tf.py_function(turn, [rows], tf.float32)).prefetch(4))
while work.goes_on():
    work.did(tf.reduce_sum(next(batches)))
work.tell()
