#!/usr/bin/env python3
"""Runs one test script to its end and reports what it left behind.

    supervise.py LIMIT OUTPUT RESULT COMMAND…

What the script prints goes to the file OUTPUT, so that no process it leaves can hold the runner up.
RESULT is a JSON object: `status` (as subprocess has it, or "time limit"), `left` (a line for each process
that outlived the script; all of them are killed) and `waited` (seconds until the last of them was gone).

This process is the reaper of everything below it. Whatever a script starts stays a descendant, in another
session and with another environment too, and cannot be taken for a process of another script.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import time

# A process may need a moment to end after the script. More than one second is only for a copy of a program
# that tare searches for holders, which can outlive the program.
GRACE_SECONDS = 2  # an orderly end may take a moment on a busy machine
PR_SET_CHILD_SUBREAPER = 36


def as_a_shell_would():
    """A runner started in the background ignores these; what it tests must not inherit that."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def reap(ended):
    """Collects children that have ended: {pid: wait status}."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def await_end(pid, seconds):
    """The wait status of a child; None if it has not ended in time. It also reaps orphans."""
    end = time.monotonic() + seconds
    while True:
        ended = reap({})
        if pid in ended:
            return ended[pid]
        left = end - time.monotonic()
        if left <= 0:
            return None
        signal.sigtimedwait([signal.SIGCHLD], left)


def processes():
    """{pid: (parent, state)} of this machine."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        found[int(name)] = (int(parent), state)
    return found


def descendants():
    """The living processes below this one."""
    known = processes()
    below = {os.getpid()}
    while True:
        more = {pid for pid, (parent, _) in known.items() if parent in below} - below
        if not more:
            return sorted(pid for pid in below - {os.getpid()} if known[pid][1] not in (b"Z", b"X"))
        below |= more


def describe(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        with open(f"/proc/{pid}/comm", "rb") as file:
            name = file.read().decode(errors="replace").strip()
    except OSError:
        return f"{pid}: gone"
    return f"{pid} {name}: {words[:200]}"


def kill_all():
    """Repeats until none is left, because a process may start another before it is killed."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        below = descendants()
        if not below:
            return
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
        reap({})


def outliving(seconds):
    """(processes that are left after this time, seconds until none was left)."""
    begin = time.monotonic()
    while True:
        reap({})
        below = descendants()
        waited = time.monotonic() - begin
        if not below or waited > seconds:
            return [describe(pid) for pid in below], waited
        time.sleep(0.02)


def main():
    limit, output, result, *command = sys.argv[1:]
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    with open(output, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 start_new_session=True, preexec_fn=as_a_shell_would)
    try:
        ended = await_end(child.pid, float(limit))
        child.returncode = status = "time limit" if ended is None else os.waitstatus_to_exitcode(ended)
        left, waited = ([], 0) if ended is None else outliving(GRACE_SECONDS)
    finally:
        kill_all()
    with open(result, "w", encoding="utf-8") as file:
        json.dump({"status": status, "left": left, "waited": waited}, file)


if __name__ == "__main__":
    main()
