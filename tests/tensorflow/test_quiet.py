#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""What every TensorFlow program gains by itself is not accused."""
from tensorflow_case import clocks, judged, root, run, steps, tare

FIT = """
import numpy as np, keras
x, y = np.random.rand(16000, 64).astype("f4"), np.random.rand(16000, 1).astype("f4")
model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(128, activation="relu"),
                          keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y, batch_size=32, verbose=0)
"""
SCALARS = """
import tensorflow as tf
x = total = tf.ones((4, 4))
for step in range(16000):
    total = total * 0.5 + x * (1.0 + step * 1e-6)
print(float(total[0, 0]))
"""
ITERATORS = """
import tensorflow as tf
numbers, total = tf.data.Dataset.range(8), 0
for epoch in range(400):
    for number in numbers:
        total += int(number)
print(total)
"""


def accused(done):
    return [f["summary"] for f in root(done)["findings"]
            if f["kind"] in ("retained", "native", "unbounded-cache") and not f["note"]]


def a_fit_of_500_steps():
    done = run(FIT)
    assert steps(done) == ("batch", 500), (steps(done), clocks(done))
    judged(root(done)["verdict"] == "clean", root(done)["answer"])


def new_scalars():
    done = run(SCALARS)
    judged(not accused(done), accused(done))
    judged(root(done)["verdict"] in ("clean", "plateau"), root(done)["answer"])


def iterators():
    done = run(ITERATORS)
    judged(not accused(done), accused(done))


tare.Cases().each({function.__name__: function for function in (
    a_fit_of_500_steps, new_scalars, iterators)})
