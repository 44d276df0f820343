#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 240
"""Phases of Python programs: what was loaded is no leak, and no answer is given without evidence."""
import json

from python_case import PYTHON, clocks, environments, folder, judged, root, tare, write

LOAD = """
import time
def load(count):
    rows = []
    for _ in range(count):
        rows.append(bytearray(60000))
        time.sleep(0.004)
    return rows
def work(rows, count):
    total = 0
    for number in range(count):
        part = bytearray(rows[number % len(rows)])
        total += len(part) + len(bytearray(60000))
        time.sleep(0.004)
    return total
print(work(load(150), 200))
"""

# What the second loop keeps, it alone keeps.
SECOND = LOAD.replace("        total += ", "        kept.append(part)\n        total += ").replace(
    "    total = 0\n", "    total, kept = 0, []\n")

FAILS = """
import time
rows = []
for number in range(300):
    rows.append(bytearray(60000))
    time.sleep(0.004)
    if number == 200:
        raise ValueError("row 200 has 3 columns")
"""

# NumPy asks for huge pages for large arrays, and the kernel then shows the heap in parts.
PARTS = """
import time
import numpy as np
def fit(x, steps):
    weights, kept = np.zeros(x.shape[1]), {}
    for step in range(steps):
        error = x[:, 0] - x[:, 1]
        weights -= 0.05 * x.T @ error / len(x)
        kept[step] = error
        time.sleep(0.005)
    return kept
print(len(fit(np.random.default_rng(5).normal(size=(15000, 60)), 200)))
"""

# A library with more loops than are remembered, called in each turn of the program's.
BUSY = "def work():\n" + "".join(
    f"    for _ in range(3):\n        bytearray(70000 + {i})\n" for i in range(20))
CALLS_BUSY = """
import sys
sys.path.insert(0, "site-packages")
import busy
for number in range(60):
    busy.work()
"""

# A library that calls the program, in its own loop.
SOLVER = """
import time
def solve(step, count):
    for number in range(count):
        step(number)
        time.sleep(0.01)
"""
CALLED = """
import sys
sys.path.insert(0, "site-packages")
from solver import solve
kept = []
def step(number):
    kept.append(bytearray(50000))
solve(step, 300)
"""

def examined(text, status=0, python=PYTHON, **more):
    directory = folder(program=text)
    write(directory, {f"site-packages/{name}.py": source for name, source in more.items()})
    run = tare.traced([python, "program.py"], cwd=directory)
    assert run.status == status, (run.status, run.err.decode())
    return run


def what_was_loaded_is_no_leak():
    run = examined(LOAD)
    judged(root(run)["verdict"] in ("clean", "plateau"), root(run)["answer"])
    loops = [phase for phase in root(run)["phases"] if phase["kind"] == "loop"]
    judged([(phase["function"], phase["over"], phase["judged"]) for phase in loops] ==
           [("load", True, False), ("work", False, True)], loops)
    judged(loops[0]["kept"] > 150 * 50000, loops[0])


def the_second_phase_is_blamed():
    run = examined(SECOND)
    judged(root(run)["verdict"] == "retained", root(run)["answer"])
    stored = root(run)["findings"][0]["stored_at"]
    judged(stored["function"] == "work", stored)


def a_load_that_failed_is_no_leak():
    run = examined(FAILS, status=1)
    judged(root(run)["verdict"] == "undecided" and root(run)["early"], root(run)["answer"])
    judged("failed in its first loop" in root(run)["answer"], root(run)["answer"])


def an_import_that_failed_is_not_clean():
    run = examined("import a_module_that_is_not_there\n", status=1)
    judged(root(run)["verdict"] == "undecided", root(run)["answer"])


def a_program_of_a_moment_is_not_clean():
    run = tare.traced(["true"])
    judged(run.status == 0 and root(run)["answer"].startswith("Too early to say"), root(run)["answer"])
    for verb in ("report", "check"):
        done = tare.plain([tare.TARE, verb, run.directory])
        assert done.status == tare.UNDECIDED, (verb, done.status, done.out.decode())
        assert b"No:" not in done.out and b"Passed" not in done.out, done.out.decode()


def a_heap_in_parts_is_searched():
    run = examined(PARTS, python=environments.ready("numpy"))
    first = root(run)["findings"][0]
    judged(first["kind"] == "retained" and "kept" in str(first["held_by"]), json.dumps(first)[:800])


def a_library_does_not_drive_out_the_programs_loop():
    run = examined(CALLS_BUSY, busy=BUSY)
    judged(50 <= clocks(run).get("loop", 0) <= 66, clocks(run))


def a_library_may_call_the_program():
    run = examined(CALLED, solver=SOLVER)
    judged(root(run)["verdict"] == "retained", root(run)["answer"])


tare.Cases().each({function.__name__: function for function in (
    what_was_loaded_is_no_leak, the_second_phase_is_blamed, a_load_that_failed_is_no_leak,
    an_import_that_failed_is_not_clean, a_program_of_a_moment_is_not_clean, a_heap_in_parts_is_searched,
    a_library_does_not_drive_out_the_programs_loop, a_library_may_call_the_program)})
