#!/usr/bin/env python3
# suite: test
# limit: 240
"""Loops that never wait, in the main thread and in workers that are ended in the middle of them, and waits on
shared memory: with a word to the engine in between they say the same as alone, and end as they would."""
from node_case import VERSIONS, environment, tare, version

PROGRAM = tare.ROOT / "tests/node/silent.cjs"


def is_same(number, seconds):
    def case():
        words = [version(number), PROGRAM, seconds]
        done = tare.traced(words, ["--rate", "1"], env=environment(), timeout=seconds * 4 + 60)
        assert (done.status, done.out, done.err) == (7, b"nothing was wrong\n", b""), (
            done.status, done.out, done.err[-2000:])
    return case


tare.Cases().each({f"node_{v}": is_same(v, 4) for v in VERSIONS})
