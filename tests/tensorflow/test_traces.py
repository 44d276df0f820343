#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""Functions that are compiled again and again: who called, what was new, what is said of it."""
from tensorflow_case import judged, root, run, tare, traces

HEAD = """
import tensorflow as tf
x = tf.ones((32, 32))
@tf.function
def step(x, scale):
    y = tf.nn.relu(x * scale)
    return tf.reduce_sum(y @ y)
"""
NUMBERS = HEAD + """
for i in range(100):
    step(x, i * 0.001)
"""
FEW_NUMBERS = HEAD + """
for i in range(300):
    step(x, (i % 20) * 0.5)
"""
TENSORS = HEAD + """
for i in range(200):
    step(x, tf.constant(i * 0.001))
"""
SHAPES = HEAD + """
for i in range(60):
    step(tf.ones((i + 2, i + 2)), 0.5)
"""
IN_LOOP = """
import tensorflow as tf
x, kept = tf.ones((32, 32)), []
for i in range(60):
    @tf.function
    def step(x):
        return tf.reduce_sum(tf.nn.relu(x * 2.0) @ x)
    step(x)
    kept.append(step)
"""
JAX = """
import functools, jax, jax.numpy as jnp
@functools.partial(jax.jit, static_argnames="power")
def step(x, power):
    return jnp.sum(x ** power)
x = jnp.ones((16, 16))
for i in range(40):
    step(x, power=i).block_until_ready()
"""
JAX_SHAPES = """
import jax, jax.numpy as jnp
@jax.jit
def step(x):
    return (x * 2).sum()
for i in range(30):
    step(jnp.ones((i + 1,)))
"""
VALUE, SHAPE, FUNCTION = 1, 2, 5


def line_of(text, word):
    return 1 + next(i for i, line in enumerate(text.split("\n")) if word in line)


def the_trace(done, function="step"):
    found = [t for t in traces(done) if t["function"] == function]
    assert len(found) == 1, traces(done)
    return found[0]


def python_numbers():
    done = run(NUMBERS)
    found = the_trace(done)
    assert (found["count"], found["live"], found["change"]) == (100, 100, VALUE), found
    assert found["argument"].startswith("scale: 0.0, then 0.001"), found
    assert found["call_line"] == line_of(NUMBERS, "i * 0.001"), found
    finding = root(done)["findings"][0]
    judged(root(done)["verdict"] == finding["kind"] == "unbounded-cache", root(done)["answer"])
    judged(finding["allocated_at"][0]["line"] == found["call_line"], finding["allocated_at"])
    judged("100 compiled versions of step" in (finding["held_by"] or ""), finding["held_by"])
    judged(any("scale: 0.0, then 0.001" in text for text in finding["evidence"]), finding)


def a_finite_key_set():
    done = run(FEW_NUMBERS)
    assert the_trace(done)["count"] == 20, traces(done)
    judged(root(done)["verdict"] in ("clean", "plateau"), root(done)["answer"])


def tensors():
    done = run(TENSORS)
    assert the_trace(done)["count"] == 1, traces(done)
    judged(root(done)["verdict"] in ("clean", "plateau"), root(done)["answer"])


def shapes():
    found = the_trace(run(SHAPES))
    assert (found["count"], found["change"]) == (60, SHAPE), found
    assert "shape (2, 2), then (3, 3)" in found["argument"], found


def functions_made_in_a_loop():
    done = run(IN_LOOP)
    found = the_trace(done)
    assert (found["count"], found["live"], found["change"]) == (60, 60, FUNCTION), found


def jax_static_argument():
    done = run(JAX)
    found = the_trace(done)
    leaks = [f for f in root(done)["findings"] if f["kind"] == "unbounded-cache" and not f["note"]]
    judged(len(leaks) == 1, [f["allocated_at"][0] for f in leaks])
    judged("static" in leaks[0]["remedy"]["text"], leaks[0]["remedy"])
    assert found["count"] == 40 and found["change"] == VALUE, found
    assert found["argument"].startswith("power: 0, then 1"), found
    assert found["call_line"] == line_of(JAX, "block_until_ready"), found


def jax_shapes():
    found = the_trace(run(JAX_SHAPES))
    assert found["count"] == 30 and found["change"] == SHAPE, found


tare.Cases().each({function.__name__: function for function in (
    python_numbers, a_finite_key_set, tensors, shapes, functions_made_in_a_loop, jax_static_argument,
    jax_shapes)})
