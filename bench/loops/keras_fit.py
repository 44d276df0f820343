"""A Keras fit: two dense layers, batches of 64, one epoch of so many batches.

    keras_fit.py STEPS

Prints nanoseconds of processor time per batch, after a warm-up of a fifth, which compiles.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

steps = int(sys.argv[1])
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((128,)), keras.layers.Dense(256, activation="relu"),
                          keras.layers.Dense(256, activation="relu"), keras.layers.Dense(10)])
model.compile(optimizer="adam",
              loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
chance = np.random.default_rng(0)
x = chance.random((64 * steps, 128), dtype=np.float32)
y = chance.integers(0, 10, 64 * steps)
warm = 64 * max(1, steps // 5)
model.fit(x[:warm], y[:warm], batch_size=64, verbose=0)
begin = time.process_time_ns()
model.fit(x, y, batch_size=64, verbose=0)
print((time.process_time_ns() - begin) / steps)
