#!/usr/bin/env python3
# suite: check
# limit: 300
"""Sampled Python stacks are the interpreter's own, function by function and line by line."""
import frames
import tare


def unknown_version():
    """An interpreter too old is left alone: native lines, and the ledger says why."""
    old = {name: path for name, path in frames.interpreters().items() if frames.minor(name) < (3, 9)}
    if not old:
        raise tare.Skip("no CPython before 3.9 here")
    name, path = sorted(old.items())[-1]
    run = tare.traced([path, "-c", "keep = [bytes(5000) for _ in range(100)]"], ["--rate", "1"])
    assert run.status == 0, run.err.decode()
    seen = frames.Frames(tare.ledgers(run.directory)[0])
    assert len(seen.code) == 0, "functions were recorded"
    notes = seen.ledger.notes()
    assert any(f"Python {name} is of a version" in note for note in notes), notes


def no_python():
    """A program without an interpreter has no Python frames and no note."""
    run = tare.traced(["/bin/sh", "-c", ":"], ["--rate", "1"])
    for path in tare.ledgers(run.directory):
        seen = frames.Frames(path)
        assert len(seen.code) == 0 and not any("Python" in note for note in seen.ledger.notes())


tare.Cases().each({**frames.cases(300), "unknown-version": unknown_version, "no-python": no_python})
