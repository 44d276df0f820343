#!/usr/bin/env python3
# suite: check
# limit: 180
"""A program that becomes itself a thousand times: no slower than a thousand starts, few ledgers, and a
report that opens and is right about the last one."""
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

AGAIN = tare.program("again")
LEDGERS_MOST = 24  # the first 16, and those that were slow enough on a busy machine


def seconds(call, *words):
    """Processor time of a run and all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = call([AGAIN, *words])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run.status == 8, (run.status, run.err.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def costs_no_more_than_starts():
    """At most three times its own time (1.0 to 1.5 when idle), and a thousand starts of the probe."""
    rounds = [(seconds(tare.plain, 1000), seconds(tare.traced, 1000),
               seconds(tare.plain, 300, "starts"), seconds(tare.traced, 300, "starts"))
              for _ in range(3)]
    alone, guest, starts_alone, starts_guest = (min(column) for column in zip(*rounds))
    start_up = (starts_guest - starts_alone) / 300
    print(f"1000 times: {alone:.2f} s alone, {guest:.2f} s with the probe; "
          f"a start adds {start_up * 1e3:.2f} ms")
    assert guest <= 3 * alone + 1000 * start_up, f"{guest:.2f} s instead of {alone:.2f} s"


def leaves_few_ledgers():
    run = tare.same([AGAIN, 1000])
    ledgers = tare.ledgers(run.directory)
    assert 16 <= len(ledgers) <= LEDGERS_MOST, f"{len(ledgers)} ledgers"
    report = run.report()
    assert len(report["processes"]) == len(ledgers), "a ledger was not read"
    assert any("exec again and again" in note for note in report["notes"]), report["notes"]


def last_is_recorded():
    """What goes on behind a long chain has its ledger, with what it keeps."""
    run = tare.same([AGAIN, 60, "hold"])
    last = max(run.processes(), key=lambda process: process["generation"])
    assert last["command"].endswith(" 0 hold"), last["command"]
    assert last["memory"]["live_bytes"] >= 6_000_000, last["memory"]
    assert last["ended"].startswith("exit 8"), last["ended"]


tare.Cases().each({
    "costs_no_more_than_starts": costs_no_more_than_starts,
    "leaves_few_ledgers": leaves_few_ledgers,
    "last_is_recorded": last_is_recorded,
})
