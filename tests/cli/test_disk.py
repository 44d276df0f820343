#!/usr/bin/env python3
# suite: check
# limit: 240
"""A run of many short processes: what it takes on the disk, and what its report takes in memory."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402
import tare  # noqa: E402

MB = 1 << 20
CHILDREN = 200
LEAKY = 17  # the number of the child that leaks


def brood(*options, children=CHILDREN):
    run = tare.traced([tare.program("brood"), children, LEAKY], options, timeout=200)
    assert run.status == 0, f"{run.status}: {run.err.decode()}"
    assert run.out.decode() == f"{children} children, 0 failed\n", run.out.decode()
    return run


def on_disk(directory):
    return sum(p.stat().st_blocks * 512 for p in Path(directory).iterdir())


def unwatched(answer):
    for note in answer["notes"]:
        if " were not watched: the run's disk budget of " in note:
            return int(note.split()[0])
    return 0


def all_accounted_for(answer, children=CHILDREN):
    listed, folded = len(answer["processes"]), answer.get("folded", {}).get("processes", 0)
    assert listed + folded + unwatched(answer) == 1 + children, \
        f"{listed} listed, {folded} folded, {unwatched(answer)} not watched: {answer['notes']}"


def ended_children_are_folded():
    run = brood("--disk", "32M")
    answer = run.report()
    assert on_disk(run.directory) <= 32 * MB, on_disk(run.directory)
    all_accounted_for(answer)
    assert answer["folded"]["processes"] > CHILDREN / 4, answer["folded"]
    assert answer["folded"]["steps"] >= 150 * answer["folded"]["processes"], answer["folded"]
    assert any("ended with nothing to report" in note for note in answer["notes"]), answer["notes"]
    own = ledger.Ledger(run.directory / "run.tare")
    assert own.entry("folded").used >= answer["folded"]["processes"]
    # The one that leaks has its ledger, and so has the first process.
    leaky = [p for p in answer["processes"] if p["verdict"] == "native"]
    assert len(leaky) == 1 and "brood.c" in leaky[0]["findings"][0]["allocated_at"][0]["file"]
    assert answer["verdict"] == "native" and tare.root_process(answer)["ended"] == "exit 0"


def at_last_nobody_is_watched():
    run = brood("--disk", "2M", children=60)
    answer = run.report()
    all_accounted_for(answer, 60)
    assert unwatched(answer) > 0, answer["notes"]
    assert "processes were not watched: the run's disk budget was used up" in run.err.decode()
    assert tare.root_process(answer)["ended"] == "exit 0", "the first process has no ledger"


def few_processes_keep_their_ledgers():
    run = brood(children=40)
    answer = run.report()
    assert len(answer["processes"]) == 41 and "folded" not in answer, answer["notes"]
    assert on_disk(run.directory) <= 41 * 0.7 * MB, "more than 700 KB for each process"


def report_of_many_stays_small():
    run = brood()
    command = [tare.TARE, "report", "--json", str(run.directory)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=tare.environment())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in tare.READABLE, child.returncode
    assert usage.ru_maxrss < 40 * 1024, f"{usage.ru_maxrss} KB for {CHILDREN} processes"


tare.Cases().each({
    "ended_children_are_folded": ended_children_are_folded,
    "at_last_nobody_is_watched": at_last_nobody_is_watched,
    "few_processes_keep_their_ledgers": few_processes_keep_their_ledgers,
    "report_of_many_stays_small": report_of_many_stays_small,
})
