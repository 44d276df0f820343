"""Kill a program at random instants and look at what it left. Used by two tests."""
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from ledger import CLOCKS, Ledger  # noqa: E402


def processes_of(run_pid):
    """The direct children of `tare run`: the program."""
    found = []
    for task in Path(f"/proc/{run_pid}/task").glob("*/children"):
        found += [int(pid) for pid in task.read_text().split()]
    return found


def kill_once(delay, tare_too):
    """Starts steps.c, waits, kills; (run directory, the step it had begun, tare's status)."""
    directory, counter = tare.fresh(), tare.fresh("counter")
    run = subprocess.Popen([tare.TARE, "run", "-q", "-o", str(directory), "--rate", "8192", "--",
                            str(tare.program("steps")), str(counter)], env=tare.environment(),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (counter.exists() and counter.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(delay)
    victims = processes_of(run.pid)
    assert victims, "the program was not to be found"
    if tare_too:
        run.kill()
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    status = run.wait(timeout=20)
    while any(Path(f"/proc/{pid}").exists() and "Z" not in state(pid) for pid in victims):
        time.sleep(0.001)
    return directory, int.from_bytes(counter.read_bytes()[:8], "little"), status


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def check_ledger(path):
    """What must hold in a ledger cut off at any instant."""
    ledger = Ledger(path)
    steps = ledger.steps()
    spans = [(s.first, s.last) for s in steps]
    assert all(first <= last for first, last in spans), f"{path}: a span ends before it begins"
    assert all(b[0] > a[1] or b[1] <= a[1] for a, b in zip(spans, spans[1:])), \
        f"{path}: spans overlap: {spans}"
    totals = ledger.totals()
    if totals.sequence % 2 == 0:
        for number, one in enumerate(totals.classes):
            assert one.born_blocks >= one.dead_blocks, f"{path}: class {number} below zero"
    for site in ledger.records("sites"):
        if site.key:
            assert site.births >= site.deaths, f"{path}: a site with more deaths than births"
    return ledger


def check_kill(seed, tare_too=False):
    delay = random.Random(seed).uniform(0, 0.4)
    directory, begun, status = kill_once(delay, tare_too)
    if not tare_too:
        assert status == 137, f"tare run returned {status}"
    answer = tare.report(directory)
    root = tare.root_process(answer)
    assert root["memory"]["live_bytes"] < 100 << 20, f"{root['memory']['live_bytes']} bytes cannot be"
    readable = [check_ledger(path) for path in tare.ledgers(directory)]
    assert readable, "no ledger was left"
    mine = next(one for one in readable if one.head.pid == root["pid"])
    ticks = mine.totals().clock[CLOCKS["mark"]]
    recorded = max((s.clock[CLOCKS["mark"]] for s in mine.steps()), default=0)
    assert recorded <= ticks, f"a record of step {recorded}, and only {ticks} were counted"
    assert begun - 1 <= ticks <= begun, f"killed in step {begun}, the ledger knows of {ticks}"


def main(kills):
    cases = tare.Cases()
    first = random.SystemRandom().randrange(1 << 32)
    print(f"delays from seed {first}")
    for number in range(kills):
        with cases.case(f"kill_{number}"):
            check_kill(first + number, tare_too=number % 4 == 3)
    cases.finish()
