#!/usr/bin/env python3
# suite: check
# limit: 240
"""Little room and strict rules: small stacks, children in borrowed memory, filters of system calls.

Output and status are those of the program alone; what the probe could see is in the report."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

CAGES = tare.program("cages")
LEAKED = 800 * 30000


def small(how, size, status=0):
    """At every allocation a sample, at every tenth a step: the probe must not need the room."""
    for rate in (1, 4096):
        guest = tare.same([CAGES, how, size], ["--rate", rate])
        assert guest.status == status, f"ended with {guest.status}"


def borrowed(how):
    """A process that is not the root, so that its ledger comes late: a leak all the same, its own."""
    number = tare.fresh("pid")
    guest = tare.same(["/bin/sh", "-c", f"{CAGES} {how} & echo $! > {number}; wait $!"])
    leaks = [p["pid"] for p in guest.processes() if p["memory"]["live_bytes"] >= LEAKED]
    assert leaks == [int(number.read_text())], f"{leaks} hold {LEAKED} bytes, not {number.read_text()}"


def caged(how):
    """It is not killed for a call of ours, and the report says why nothing was seen afterwards."""
    guest = tare.same([CAGES, how], ["--rate", 4096])
    assert guest.status == 4, f"ended with {guest.status}"
    text = tare.plain([tare.TARE, "report", guest.directory]).out.decode()
    assert "system calls" in text, text


def asked_for():
    guest = tare.same([CAGES, "cage_asked_for"])
    assert tare.root_memory(guest)["live_bytes"] >= LEAKED, "the probe went off without a filter"


def namespace():
    """Number 1 in a namespace of processes is not number 1 of the machine."""
    if tare.plain(["unshare", "--pid", "--fork", "true"]).status != 0:
        raise tare.Skip("no namespace of processes can be made here")
    guest = tare.traced(["sh", "-c", f"unshare --pid --fork {CAGES} vfork_malloc & sleep 0.3"])
    notes = " ".join(guest.report()["notes"])
    assert "unshare" in notes and "pid 1)" not in notes, notes


tare.Cases().each({
    "child_in_a_namespace_of_processes": namespace,
    "coroutine_of_4_kb": lambda: small("coroutine", 4096),
    "coroutine_of_6_kb": lambda: small("coroutine", 6144),
    "coroutine_of_16_kb": lambda: small("coroutine", 16384),
    "exit_on_a_coroutine_of_4_kb": lambda: small("coroutine_exit", 4096, 5),
    "smallest_thread": lambda: small("thread", 16384),
    "exit_on_an_alternate_stack_of_8_kb": lambda: small("alternate", 8192, 3),
    "child_without_thread_local_memory": lambda: small("without_tls", 0),
    "vfork_child_that_only_leaves": lambda: borrowed("vfork_exit"),
    "vfork_child_that_allocates": lambda: borrowed("vfork_malloc"),
    "filter_by_prctl": lambda: caged("cage_by_prctl"),
    "filter_by_seccomp": lambda: caged("cage_by_syscall"),
    "filter_after_no_new_privileges": lambda: caged("cage_after_no_new_privileges"),
    "filter_only_asked_for": asked_for,
    "filter_inherited": lambda: small("cage_inherited", 0),
})
