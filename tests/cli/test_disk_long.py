#!/usr/bin/env python3
# suite: long
# limit: 900
# alone: yes
"""A run of a thousand short processes: at most 1 GB on the disk; its report in 3 s and 200 MB."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

GB = 1 << 30


def report(directory, *options):
    child = subprocess.Popen([tare.TARE, "report", *options, str(directory)],
                             stdout=subprocess.DEVNULL, env=tare.environment())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in tare.READABLE, child.returncode
    return usage


def thousand(*options):
    run = tare.traced([tare.program("brood"), 1000], options, timeout=800)
    assert run.status == 0 and run.out == b"1000 children, 0 failed\n", run.err.decode()
    return run.directory, sum(p.stat().st_blocks * 512 for p in run.directory.iterdir())


def check(directory):
    for form in ((), ("--json",)):
        usage = report(directory, *form)
        seconds = usage.ru_utime + usage.ru_stime
        assert seconds < 3, f"{seconds:.1f} s of processor time"
        assert usage.ru_maxrss < 200 * 1024, f"{usage.ru_maxrss} KB"


def with_the_usual_budget():
    directory, size = thousand()
    assert size <= GB, size
    check(directory)


def with_room_for_all():
    """None is folded: the report has a thousand ledgers to read."""
    directory, size = thousand("--disk", "8G")
    assert len(tare.ledgers(directory)) == 1001 and size <= GB, size
    check(directory)


tare.Cases().each({
    "with_the_usual_budget": with_the_usual_budget,
    "with_room_for_all": with_room_for_all,
})
