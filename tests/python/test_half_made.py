#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 120
"""A search that begins while an object is being made survives it, and names the holder all the same.

A deque asks for its first block when the collector knows it already: its own traverse function reads that
block, which is not there yet. In this program most blocks are made so; others are lost, and the search
for them looks at every object that the collector knows.
"""
from owners import paths
from python_case import folder, interpreters, judged, root, tare

SIGNAL = 5  # UNSEARCHED_signal
PROGRAM = """
import collections, ctypes, hashlib
lose = ctypes.CDLL(None).malloc
kept = []
for turn in range(3000):
    kept.append(collections.deque())
    kept.append(collections.deque())
    kept.append(collections.deque())
    lose(ctypes.c_size_t(1000))
    hashlib.sha256(b"x" * 100).digest()
    sum(range(2000))
print(len(kept))
"""


def check(python):
    run = tare.traced([python, folder(program=PROGRAM) / "program.py"])
    assert run.status == 0 and run.out == b"9000\n" and run.err == b"", run.err.decode()
    reasons = [holder.reason for holder, _ in paths(run)]
    assert SIGNAL not in reasons, reasons
    held = [f["held_by"] for f in root(run)["findings"] if f["kind"] in ("retained", "native")]
    judged("__main__.kept[…]" in held, held)


tare.Cases().each({f"deque_{version}": lambda python=python: check(python)
                   for version, python in interpreters().items()
                   if (3, 9) <= tuple(int(part) for part in version.split(".")[:2])})
