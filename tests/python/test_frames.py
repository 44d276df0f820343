#!/usr/bin/env python3
# suite: check
# limit: 300
"""Sampled Python stacks are the interpreter's own, function by function and line by line."""
from pathlib import Path

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


def library_of(path):
    """(prefix, shared library) of an interpreter that has one."""
    ask = "import sys, sysconfig as s; print(sys.prefix, s.get_config_var('LIBDIR'), " \
          "s.get_config_var('INSTSONAME'), sep='\\n')"
    prefix, directory, name = tare.plain([path, "-c", ask]).out.decode().splitlines()
    library = Path(directory) / name
    return (prefix, library) if ".so" in name and library.exists() else None


def loaded_later(path):
    prefix, library = library_of(path) or (None, None)
    if not library:
        raise tare.Skip("this interpreter is not a shared library")
    program = tare.compile_program(Path(__file__).with_name("embed.c"), tare.fresh("embed"), "-ldl")
    run = tare.traced([program, library], ["--rate", "1"], env=tare.environment(PYTHONHOME=prefix))
    assert run.status == 0, (run.out + run.err).decode()
    sites = tare.live_sites(tare.root_process(run.report()))
    lines = [[(p["function"].split(".")[-1], p["line"]) for p in site["allocated_at"]] for site in sites
             if site["live_bytes"] > 20_000_000]
    assert len(lines) == 1 and lines[0][0][1] == 2 and lines[0][-2:][0][0] == "make" and \
        lines[0][-1] == ("<module>", 4), lines


def end_with_threads(path):
    """Threads that allocate without the interpreter's lock while it ends."""
    program = Path(__file__).with_name("ending_program.py")
    for _ in range(3):
        run = tare.traced([path, program], ["--rate", "1"])
        assert run.status == 0, f"status {run.status}: {run.err.decode()[-1000:]}"


def every(prefix, function):
    """A case for each interpreter whose frames are known."""
    return {f"{prefix}-{name}": lambda path=path: function(path)
            for name, path in frames.interpreters().items() if frames.minor(name) in frames.KNOWN}


tare.Cases().each({**frames.cases(300), **every("loaded-later", loaded_later),
                   **every("end-with-threads", end_with_threads),
                   "unknown-version": unknown_version, "no-python": no_python})
