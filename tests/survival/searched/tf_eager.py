"""TensorFlow, operations one by one under a tape."""
from work import KEPT, SIZE, Work  # first: it blocks a signal

import keras
import tensorflow as tf

tf.random.set_seed(4)
work = Work()
kept = [None] * KEPT
weights = tf.Variable(tf.random.normal((256, 256)))
optimizer = keras.optimizers.Adam()
optimizer.build([weights])
while work.goes_on():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.random.normal((64, 256)) @ weights))
    optimizer.apply([tape.gradient(loss, weights)])
    kept[work.steps % KEPT] = tf.fill((SIZE,), loss)
    work.did(loss)
work.tell()
