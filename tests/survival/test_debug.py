#!/usr/bin/env python3
# suite: test
# limit: 900
"""The debug build: every INVARIANT of base/invariant.h is checked, in the unit tests and while programs run.

It is built beside the release (make DEBUG=1), and the scripts below are run with it. A probe that finds an
invariant broken ends its program there, which those scripts notice.
"""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

BUILD = tare.ROOT / "build/variant--debug"
SCRIPTS = ("truth/test_exact.py", "truth/test_storm.py", "survival/test_fork_state.py",
           "survival/test_exec.py", "survival/test_copy.py", "python/test_collect.py")


def run(command, **more):
    environment = {**os.environ, "SCRATCH": str(tare.SCRATCH), **more}
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, cwd=tare.ROOT, env=environment)
    return done.returncode, done.stdout.decode(errors="replace")


def builds():
    unit = (BUILD / "unit").relative_to(tare.ROOT)
    status, shown = run(["make", "-j2", "DEBUG=1", "all", unit], MAKEFLAGS="")
    assert status == 0, shown[-3000:]
    assert "warning:" not in shown, shown[-3000:]


def invariants_are_in_it_and_not_in_the_release():
    text = b": not true: "
    assert text in (BUILD / "libtare-probe.so").read_bytes()
    assert text not in Path(tare.PROBE).read_bytes()


def unit_tests_pass():
    status, shown = run([BUILD / "unit"])
    assert status == 0, shown[-3000:]
    assert "mailbox_mistakes_of_our_own_are_found_in_debug_builds" in shown, "the checks were not built in"


def passes(script):
    status, shown = run([tare.ROOT / "tests" / script], TARE=str(BUILD / "tare"), PROGRAMS=str(tare.PROGRAMS))
    assert status in (0, 77, tare.DIFFERS), shown[-3000:]  # a verdict may differ on a busy machine
    assert ": not true: " not in shown, shown[-3000:]


CASES = {
    "builds": builds,
    "invariants_are_in_it_and_not_in_the_release": invariants_are_in_it_and_not_in_the_release,
    "unit_tests_pass": unit_tests_pass,
}
CASES.update({script: lambda script=script: passes(script) for script in SCRIPTS})
tare.Cases().each(CASES)
