#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1800
"""tf_keras, the Keras 2 beside Keras 3: the same clocks, the same registry, the same table.

The first run makes build/venv-tf_keras, which takes a download and some minutes.
"""
from tensorflow_case import (QUIET, clocks, environments, folder, greeted, judged, registries, root, steps,
                             tare)

MODELS = """
import numpy as np, tf_keras as keras
x, y = np.random.rand(64, 256).astype("f4"), np.random.rand(64, 1).astype("f4")
for i in range(16):
    model = keras.Sequential([keras.Input((256,)), keras.layers.Dense(256), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, y, batch_size=32, verbose=0)
    del model
    keras.backend.clear_session()
"""
BATCHES = """
import numpy as np, tensorflow as tf, tf_keras as keras
x, y = np.random.rand(640, 8).astype("f4"), np.random.rand(640, 1).astype("f4")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("adam", "mse", steps_per_execution=5)
model.fit(x, y, batch_size=32, epochs=2, verbose=0)
model.compile("adam", "mse")
for i in range(10):
    model.train_on_batch(x[:32], y[:32])
optimizer = keras.optimizers.Adam()
for i in range(7):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x[:32]) - y[:32]) ** 2)
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""


def run(text):
    done = tare.traced([environments.ready("tf_keras"), folder(train=text) / "train.py"],
                       timeout=400, env=tare.environment(**QUIET))
    assert done.status == 0, done.err.decode()[-3000:]
    assert greeted(root(done)), root(done)["notes"]
    return done


def models_are_the_clock():
    done = run(MODELS)
    assert steps(done) == ("model", 16), (steps(done), clocks(done))
    judged("TensorFlow's gradient registry" in registries(done))
    found = [f for f in root(done)["findings"] if f["kind"] == "unbounded-cache"]
    judged(found and "gradient registry" in found[0]["held_by"], root(done)["answer"])
    table = {line["keeper"]: line["bytes"] for line in root(done)["per_model"]}
    judged(table["registry"] > max(100_000, 10 * table["program"]), table)


def batches_and_optimizer_steps():
    ticks = clocks(run(BATCHES))
    assert ticks.get("batch") == 50, ticks
    assert ticks.get("optimizer") == 7, ticks


tare.Cases().each({function.__name__: function for function in (
    models_are_the_clock, batches_and_optimizer_steps)})
