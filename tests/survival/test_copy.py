#!/usr/bin/env python3
# suite: test
# limit: 300
"""The copy of a process that searches for holders: it ends with the program, keeps no descriptor, takes no
more memory than it may, and gets through a list of millions of nodes."""
import ctypes
import os
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tare  # noqa: E402
from crowd import DONE, FAILED, Crowd  # noqa: E402

MANY = 3_000_000   # nodes: a search takes a second or more
GONE_SECONDS = 1.0 # after the program's end its copy has ended too


def ended(how):
    """A copy that is at work when the program ends does not outlive it."""
    host = Crowd(MANY, how)
    host.ask()
    host.copy()
    host.kill() if how == "kill" else host.end()
    left = host.left(GONE_SECONDS)
    assert not left, f"{left} still there {GONE_SECONDS} s after the program's end"


def long_list():
    """Who holds the nodes of a list is found, each of thousands of sampled ones being a million deep."""
    host = Crowd(MANY, "return")
    site = host.site(16)
    state = host.answered(host.mail().holders(site), 60)
    answers = host.answers(site)
    host.end()
    assert state == "DONE" and answers, (state, answers)
    best = max(answers, key=lambda record: record.depth)
    assert best.state == DONE and best.reached == best.targets > 3000, \
        (best.state, best.reached, best.targets)
    assert best.depth > MANY / 100, best.depth


def passing_threads():
    """The thread that made the copy has ended long before the answer comes."""
    host = Crowd(300_000, "thread")
    site = host.site(16)
    host.answered(host.mail().holders(site), 60)
    answers = host.answers(site)
    host.end()
    assert any(record.state == DONE for record in answers), [(r.state, r.reason) for r in answers]


def small_tables():
    """What it takes for itself is less than what the program has."""
    host = Crowd(MANY, "return")
    resident = field(f"/proc/{host.pid}/status", "VmRSS:")
    host.ask()
    pid, own = host.copy(), 0
    while Path(f"/proc/{pid}").exists():
        try:
            own = max(own, field(f"/proc/{pid}/smaps_rollup", "Private_Dirty:"))
        except (OSError, StopIteration):
            break
    host.end()
    assert 10_000 < own < 0.9 * resident, f"{own} KB beside {resident} KB"


def field(path, name):
    with open(path) as lines:
        return int(next(line for line in lines if line.startswith(name)).split()[1])


CLOSE_RANGE, ENOSYS = 436, 38


def old_kernel():
    """For `before`: from now on there is no close_range, as before Linux 5.9."""
    rules = [(0x20, 0, 0, 0), (0x15, 0, 1, CLOSE_RANGE), (0x06, 0, 0, 0x00050000 | ENOSYS),
             (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("HBBI", code, yes, no, value) for code, yes, no, value in rules)
    held = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0) != 0:
        os._exit(97)


def no_descriptors(before):
    """It holds none of the program's: a pipe that is closed is closed."""
    host = Crowd(MANY, "return", before=before)
    ours = os.readlink(f"/proc/{host.pid}/fd/0")
    host.ask()
    pid, seen, deadline = host.copy(), None, time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            seen = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
        except OSError:
            continue
        if ours not in seen:
            break
    host.end()
    assert seen is not None and ours not in seen and len(seen) <= 1, seen


PAUSE = 2             # unsearched.def
LARGE_MB = 3072       # to copy its page tables takes more than 50 ms
FREE_MB = 2 * LARGE_MB


def large():
    """A process whose copying would stop it for too long is not searched while it runs, and says so; at its
    end, when nobody waits for the next step, it is."""
    if field("/proc/meminfo", "MemAvailable:") < FREE_MB * 1024:
        raise tare.Skip(f"less than {FREE_MB} MB of memory are free")
    host = Crowd(1000, "return", LARGE_MB)
    site = host.site(2000)
    state = host.answered(host.mail().holders(site), 60)
    refused = [record for record in host.answers(site) if record.state == FAILED]
    time.sleep(1)
    host.end()
    root = tare.root_process(tare.report(host.directory))
    assert state == "REFUSED" and refused and refused[0].reason == PAUSE, (state, refused)
    assert refused[0].pause_ns > 50e6, refused[0].pause_ns
    notes = " ".join(root["notes"])
    assert "3.0 GB process would have paused it for about" in notes, notes
    finding = root["findings"][0]
    assert (finding["held_by"] or "").startswith("newest"), (finding, notes)
    assert finding["holder_unsearched"] is None, finding


WRITES = 3     # unsearched.def
WRITTEN_MB = 1900 # if a fault takes 0.45 µs, to copy all of it takes as long as it may
PAUSED_MOST_NS = 300e6  # cost.c: 200 ms of faults, the clone, and what came between two looks


def writing():
    """A program that writes over its memory copies page after page for the copy's sake: the copy ends
    early, and what it has cost is counted."""
    if field("/proc/meminfo", "MemAvailable:") < 3 * WRITTEN_MB * 1024:
        raise tare.Skip(f"less than {3 * WRITTEN_MB} MB of memory are free")
    host = Crowd(5_000_000, "return", WRITTEN_MB)
    site = host.site(16)
    ended = []
    for _ in range(3):  # on a busy machine the program may not come to write much in time
        host.answered(host.mail().holders(site), 60)
        ended = [record for record in host.answers(site) if record.reason == WRITES]
        if ended:
            break
    answers = host.answers(site)
    host.end()
    if ended:
        assert ended[0].state == FAILED, [(record.state, record.reason) for record in answers]
        assert ended[0].pause_ns > 100e6, ended[0].pause_ns
    else:  # a fault is cheap here: all of it was copied within the bound
        assert max(record.pause_ns for record in answers) < PAUSED_MOST_NS, answers


tare.Cases().each({"ends_on_return": lambda: ended("return"), "ends_on_exit": lambda: ended("_exit"),
                   "ends_on_kill": lambda: ended("kill"), "long_list": long_list,
                   "passing_threads": passing_threads, "large": large, "writing": writing,
                   "small_tables": small_tables, "no_descriptors": lambda: no_descriptors(None),
                   "no_descriptors_before_5_9": lambda: no_descriptors(old_kernel)})
