#!/usr/bin/env python3
# suite: check
# limit: 120
"""Whole reports of stored runs, text and JSON, compared byte for byte with the files in expected/.

`make bless` rewrites those; the diff is reviewed like code. docs/testing.md says how runs are recorded.
"""
import ctypes
import difflib
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from golden import EXPECTED, PLACE, RUNNING, place, unpack  # noqa: E402
from tare import READABLE, TARE, Cases, Skip, environment, fresh, plain  # noqa: E402

BLESS = os.environ.get("BLESS") == "1"
SHOWN = 40  # lines of a difference


def normal(text):
    """Replaces what is not part of the diagnosis."""
    # The version of tare: a release changes no report.
    return re.sub(r'^  "tare": "[^"]*",$', '  "tare": "VERSION",', text, count=1, flags=re.M)


def report(run, *options):
    """From PLACE: a report shortens paths below the directory it is made in."""
    done = plain([TARE, "report", *options, run], cwd=PLACE, env=environment(LC_ALL="C.UTF-8"))
    assert done.status in READABLE, f"report ended with {done.status}: {done.err.decode()}"
    assert done.err == b"", done.err.decode()
    return normal(done.out.decode())


def difference(path, got):
    """Lines of a unified diff; none when the expected file holds the same bytes, or now does."""
    if BLESS:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(got.encode())
    want = path.read_bytes().decode() if path.exists() else ""
    return list(difflib.unified_diff(want.splitlines(True), got.splitlines(True), f"expected/{path.name}",
                                     "the report now", n=2))


def python_or_skip():
    done = plain(["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"])
    if done.status != 0:
        raise Skip("python3 is older than 3.9 and finds no lines that store")


def node_or_skip():
    if not shutil.which("node"):
        raise Skip("no node, which finds the lines that store")
    try:
        ctypes.CDLL("libstdc++.so.6")
    except OSError:
        raise Skip("no libstdc++ to demangle names with") from None


def check(name):
    program, kind = RUNNING[name]
    {".py": python_or_skip, ".js": node_or_skip}.get(os.path.splitext(program)[1], lambda: None)()
    run = fresh(name)
    with place():
        unpack(name, run)
        text, document = report(run), report(run, "--json")
    lines = difference(EXPECTED / f"{name}.txt", text) + difference(EXPECTED / f"{name}.json", document)
    more = len(lines) - SHOWN
    assert not lines, "\n" + "".join(lines[:SHOWN]) + (f"… and {more} more lines" if more > 0 else "")
    assert json.loads(document)["verdict"] == kind, f"not {kind} any more: see golden.py"


Cases().each({name: lambda name=name: check(name) for name in RUNNING})
