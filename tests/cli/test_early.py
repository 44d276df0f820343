#!/usr/bin/env python3
# measured: yes
"""Too little was seen: the report and `tare check` say so, with status 3, and name no rate."""
import re
import shutil
import sys

from clitest import LEAK, main, marked, script, tare

RATE = re.compile(r"\d [KMG]?B per |may grow")
FAILS = "kept = []\nfor i in range(3):\n    kept.append(bytearray(3_000_000))\nraise RuntimeError\n"
BRIEF = ("import time\nkept = []\nend = time.time() + 0.3\nwhile time.time() < end:\n"
         "    kept.append(bytearray(200_000))\n    time.sleep(0.02)\n")
MISSING = "import a_module_that_is_not_there\n"
SIX = "import time\nkept = []\nfor i in range(6):\n    kept.append(bytearray(500_000))\n    time.sleep(0.1)\n"


def is_early(scratch, *command):
    tare("run", "-q", "-o", "run", "--", *command, cwd=scratch)
    text = tare("report", "run", cwd=scratch, status=3).stdout.decode()
    assert text.startswith("Does it leak? Too early to say: "), text
    assert not RATE.search(text), text
    assert len(text.splitlines()) <= 12, text
    assert b"Not enough evidence" in tare("check", "run", cwd=scratch, status=3).stdout
    whole = tare("report", "-v", "run", cwd=scratch, status=3).stdout.decode()
    assert not RATE.search(whole) and "Growing" not in whole, whole
    return text


def python(scratch, text):
    return [sys.executable, script(scratch, "program.py", text)]


def case_a_program_that_does_nothing(scratch):
    is_early(scratch, shutil.which("true"))


def case_an_error_after_three_steps(scratch):
    is_early(scratch, *python(scratch, FAILS))


def case_a_third_of_a_second(scratch):
    is_early(scratch, *python(scratch, BRIEF))


def case_a_missing_module(scratch):
    is_early(scratch, *python(scratch, MISSING))


def case_six_turns(scratch):
    is_early(scratch, *python(scratch, SIX))


def case_six_steps(scratch):
    text = is_early(scratch, marked(scratch, "program", LEAK), 6, 20_000, 500_000)
    assert "6 steps" in text, text


main(globals())
