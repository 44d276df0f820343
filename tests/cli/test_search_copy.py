#!/usr/bin/env python3
"""The copy of a program in which tare searches for holders does not count as a process of the program."""
import os
import signal
import subprocess
import time
from pathlib import Path

from clitest import TARE, main, marked
import ledger
from node_list import NODE_LIST

# So many small blocks in a list that the search takes long, and a leak to search for.
LONG = NODE_LIST + """
int main(void)
{
    for (long i = 0; i < 2000000; i++)
        add(sizeof(struct node));
    for (int step = 0; step < 400; step++) {
        tare_step(step);
        add(3000);
        usleep(2000);
    }
    return 0;
}
"""
BUDGET = 1 << 40  # more than any machine has


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def children(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def copies(doctor):
    """Pairs of a program and its copy, of this tare."""
    return [(program, copy) for program in children(doctor) for copy in children(program)
            if name_of(copy) == "tare-search"]


def start(scratch):
    return subprocess.Popen([TARE, "run", "--no-report", "-o", "run", "--budget", str(BUDGET), "--",
                             str(marked(scratch, "long", LONG))], cwd=scratch, stderr=subprocess.PIPE)


def seen_in(scratch):
    """Names of the processes that the run's ledger knows, and the most that were counted at a time."""
    own = ledger.Ledger(scratch / "run" / "run.tare")
    names = [own.text(one.name) for one in own.records("processes") if one.pid]
    return names, max(one.processes for one in own.records("samples"))


def case_the_copy_is_not_counted(scratch):
    doctor = start(scratch)
    searching = 0.0
    while doctor.poll() is None:
        searching += 0.02 if copies(doctor.pid) else 0
        time.sleep(0.02)
    doctor.communicate()
    assert doctor.returncode == 0, doctor.returncode
    assert searching > 0, "no search was seen"
    assert seen_in(scratch) == (["long"], 1), seen_in(scratch)


def case_the_copy_is_not_left_running(scratch):
    """A program is killed while its copy works. The copy is stopped, so it still exists when tare looks for
    processes that continue."""
    doctor = start(scratch)
    found = []
    while doctor.poll() is None and not found:
        found = copies(doctor.pid)
        time.sleep(0.005)
    assert found, "no search was seen"
    program, copy = found[0]
    os.kill(copy, signal.SIGSTOP)
    try:
        os.kill(program, signal.SIGKILL)
        said = doctor.communicate(timeout=20)[1]
        assert name_of(copy) == "tare-search", "the copy has ended"
    finally:
        os.kill(copy, signal.SIGKILL)
    assert doctor.returncode == 137, doctor.returncode
    assert b"still running" not in said, said
    assert seen_in(scratch) == (["long"], 1), seen_in(scratch)


main(globals())
