"""Random programs in which tare's count of the pool is compared with TensorFlow's own."""

# Random programs, each with eager operations and graph functions; after each step both counters.
RANDOM = """
import random, sys
import tensorflow as tf
from _tare import _frameworks

def framework():
    return tf.config.experimental.get_memory_info("CPU:0")["current"]

@tf.function(reduce_retracing=True)
def graph(a, b):
    total = tf.zeros_like(a)
    for _ in tf.range(3):
        total += tf.nn.relu(a - b)
    return total, tf.reduce_sum(total)

def shape(chance):
    return [chance.randint(1, 700), chance.randint(1, 900)]

def program(seed):
    chance, held = random.Random(seed), []
    for _ in range(chance.randint(3, 12)):
        what = chance.randrange(6)
        if what == 0 or not held:
            held.append(tf.random.uniform(shape(chance)))
        elif what == 1:
            held.append(tf.Variable(tf.ones(shape(chance), tf.float64)))
        elif what == 2:
            one = chance.choice(held)
            held.append(graph(tf.cast(one, tf.float32), tf.ones_like(tf.cast(one, tf.float32)))[0])
        elif what == 3:
            held.append(tf.concat([chance.choice(held)] * 2, 0))
        elif what == 4:
            held.pop(chance.randrange(len(held)))
        else:
            with tf.GradientTape() as tape:
                one = tf.Variable(tf.random.normal(shape(chance)))
                loss = tf.reduce_sum(one * one)
            held.append(tape.gradient(loss, one))
        if framework() != _frameworks.pool_read(0):
            sys.exit(f"program {seed}: {_frameworks.pool_read(0)} instead of {framework()}")
    return len(held)

tf.random.uniform((512, 512))
for seed in range(PROGRAMS):
    program(seed)
print(_frameworks.pool_read(2))
"""
