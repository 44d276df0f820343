#!/usr/bin/env python3
# suite: long
# limit: 3000
"""The pool's bytes in a thousand random programs, equal to TensorFlow's own counter after every step."""
from pool_programs import RANDOM
from tensorflow_case import run, tare


def equal_to_the_byte_a_thousand_times():
    done = run(RANDOM.replace("PROGRAMS", "1000"))
    assert int(done.out) > 3000, done.out


tare.Cases().each({"equal_to_the_byte_a_thousand_times": equal_to_the_byte_a_thousand_times})
