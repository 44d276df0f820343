#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""TensorFlow's pool of large tensors: seen to the byte, told apart from its regions, never judged.

The first run makes build/venv-tensorflow, which takes a download and some minutes.
"""
from pool_programs import RANDOM
from tensorflow_case import judged, own_ledger, pool, root, run, tare

HELD = """
import tensorflow as tf
held = []
for i in range(48):
    held.append(tf.ones((256, 1024)))  # 1 MB
print(len(held))
"""

DROPPED = """
import tensorflow as tf
@tf.function
def work(x):
    return tf.reduce_sum(tf.stack([x * float(i) for i in range(40)]))
x = tf.ones((256, 1024))
for i in range(64):
    work(x)
"""

FORKED = """
import os
import tensorflow as tf
from _tare import _frameworks
held = tf.ones((512, 1024))
child = os.fork()
if child == 0:
    os._exit(0 if _frameworks.pool_read(0) == 512 * 1024 * 4 else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def equal_to_the_byte():
    done = run(RANDOM.replace("PROGRAMS", "100"))
    assert int(done.out) > 300, done.out


def without_pool():
    """Every tensor is a block of the heap then, and the same program is judged the same."""
    done = run(HELD, TF_ENABLE_ONEDNN_OPTS="0")
    assert pool(done) is None
    assert own_ledger(done).live_bytes() > 48 << 20


def tensors_are_live():
    done = run(HELD, TF_ENABLE_ONEDNN_OPTS="1")
    found = pool(done)
    if found is None:
        raise tare.Skip("this TensorFlow has no pool on this processor")
    assert found.live == 48 << 20, found.live
    assert found.reserved >= found.live, found.reserved
    live = own_ledger(done).live_bytes()
    judged(live < (48 << 20) + (found.reserved - found.live) + (160 << 20), live)
    lines = tare.live_by_line(root(done), "train.py")
    judged(lines.get(5, 0) > 40 << 20, lines)


def regions_are_not():
    """40 MB come and go in every step; the pool keeps them, and that is no leak."""
    done = run(DROPPED)
    found = pool(done)
    if found is None:
        raise tare.Skip("this TensorFlow has no pool on this processor")
    assert found.most > 40 << 20 and found.live < 8 << 20, (found.most, found.live)
    judged(root(done)["verdict"] in ("clean", "plateau", "framework-cache"), root(done)["answer"])


def a_child_has_its_own():
    run(FORKED)


tare.Cases().each({function.__name__: function for function in (
    equal_to_the_byte, without_pool, tensors_are_live, regions_are_not, a_child_has_its_own)})
