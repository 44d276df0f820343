"""Shared by the tests of reports: builds make_ledger, runs it, and asks tare about the result."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["ROOT"])
SCRATCH = Path(os.environ["SCRATCH"])
TARE = os.environ["TARE"]
STATUS = {"retained": 1, "native": 1, "unbounded-cache": 1, "undecided": 3}
SOURCES = ["tests/report/make_ledger.c", "src/ledger/writer.c", "src/ledger/pieces.c",
           "src/ledger/table.c", "src/ledger/levels.c", "src/ledger/step.c", "src/base/err.c"]


def build(name, compiler="gcc", flags=("-O1", "-g"), link=(), extra=()):
    """The path of make_ledger, built with these flags; `extra`: more objects."""
    program = SCRATCH / name
    subprocess.run([compiler, "-std=gnu11", "-D_GNU_SOURCE", "-Isrc", *flags, "-o", program,
                    *SOURCES, *extra, *link], cwd=ROOT, check=True)
    return program


def make(program, mode="plain", name=None):
    """A directory of ledgers, and the lines its report must name."""
    directory = SCRATCH / (name or f"{program.name}-{mode}.run")
    directory.mkdir()
    answer = subprocess.run([program, directory, mode], check=True, capture_output=True, text=True)
    return directory, json.loads(answer.stdout)


def tare(*words, **more):
    return subprocess.run([TARE, *map(str, words)], capture_output=True, **more)


def report(path):
    """The JSON report; the exit code must be that of its verdict."""
    answer = tare("report", "--json", path)
    assert answer.stderr == b"", answer.stderr
    document = json.loads(answer.stdout)
    assert answer.returncode == STATUS.get(document["verdict"], 0), answer.returncode
    return document


def run_cases(cases):
    """Each case is a function; one line of result each."""
    failed = 0
    for case in cases:
        try:
            why = case()
        except Exception as problem:  # a failure of one case must not hide the others
            failed += 1
            print(f"FAILED {case.__name__}")
            print(f"{type(problem).__name__}: {problem}")
        else:
            print(f"skipped {case.__name__}: {why}" if why else f"ok {case.__name__}")
    sys.exit(1 if failed else 0)
