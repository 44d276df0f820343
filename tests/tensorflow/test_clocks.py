#!/usr/bin/env python3
# suite: test
# limit: 1500
"""The clocks of TensorFlow, Keras and JAX: what ticks, how often, and that a model of models is one."""
from tensorflow_case import clocks, run, steps, tare

HEAD = """
import numpy as np, tensorflow as tf, keras
x, y = np.random.rand(640, 8).astype("f4"), np.random.rand(640, 1).astype("f4")
def make():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"),
                             keras.layers.Dense(1)])
model = make()
"""

FIT = HEAD + """
model.compile("adam", "mse", steps_per_execution=EXECUTION)
model.fit(x, y, batch_size=32, epochs=5, verbose=0)
"""

ON_BATCH = HEAD + """
model.compile("adam", "mse")
train = model.train_on_batch
for i in range(40):
    train(x[:32], y[:32])
"""

TAPE = HEAD + """
optimizer = keras.optimizers.Adam()
for i in range(40):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x[:32]) - y[:32]) ** 2)
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""

GRAPH = HEAD + """
optimizer = keras.optimizers.Adam()
optimizer.build(model.trainable_variables)
@tf.function
def train(inputs, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - targets) ** 2)
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
for epoch in range(2):
    for batch in tf.data.Dataset.from_tensor_slices((x, y)).batch(32):
        train(*batch)
"""

PREDICT = HEAD + """
for i in range(40):
    model.predict(x[:32], verbose=0)
"""

MODELS = HEAD + """
class Nested(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner, self.out = make(), keras.layers.Dense(1)
    def call(self, inputs):
        return self.out(self.inner(inputs))
def functional():
    inputs = keras.Input((8,))
    return keras.Model(inputs, keras.layers.Dense(1)(inputs))
for i in range(13):
    model = Nested()
    model(x[:2])
    functional()
    keras.Sequential([keras.layers.Dense(4)]).build((None, 8))
"""

JAX = """
import jax, jax.numpy as jnp
@jax.jit
def inner(x):
    return jnp.tanh(x) * 2
@jax.jit
def step(x):
    return inner(x) @ x
class Model:
    @jax.jit
    def call(x, y=1.0):
        return x * y
x = jnp.ones((32, 32))
for i in range(40):
    y = step(jnp.sin(x) + 1.0)
    try:
        step(jnp.ones((3, 4)))
    except TypeError:
        pass
    Model.call(y, y=2.0)
print(float(y[0, 0]) > 0, type(step).__name__)
"""


def fit():
    done = run(FIT.replace("EXECUTION", "1"))
    assert steps(done) == ("batch", 100), steps(done)
    assert clocks(done)["model"] == 1, clocks(done)


def fit_in_large_executions():
    assert clocks(run(FIT.replace("EXECUTION", "10")))["batch"] == 100


def train_on_batch():
    done = run(ON_BATCH)
    assert clocks(done)["batch"] == 40, clocks(done)


def eager_tape():
    assert steps(run(TAPE)) == ("optimizer", 40)


def graph_functions():
    """A trace applies gradients too, and is no step; an iterator is asked once more than it has."""
    done = run(GRAPH)
    assert clocks(done) == {"graph": 40, "loader": 42, "model": 1}, clocks(done)
    assert steps(done) == ("graph", 40), steps(done)


def predictions():
    assert clocks(run(PREDICT))["predict"] == 40


def models():
    """Parts of a model are not models, and a Sequential makes a Functional for itself."""
    done = run(MODELS)
    assert clocks(done)["model"] == 1 + 3 * 13, clocks(done)


def jax_computations():
    """Calls of the program's own compiled functions, whatever comes of them; not those within one that
    is being traced, nor the operations that JAX has compiled for itself."""
    done = run(JAX)
    assert done.out == b"True PjitFunction\n", done.out
    assert clocks(done)["graph"] == 120, clocks(done)


tare.Cases().each({function.__name__: function for function in (
    fit, fit_in_large_executions, train_on_batch, eager_tape, graph_functions, predictions, models,
    jax_computations)})
