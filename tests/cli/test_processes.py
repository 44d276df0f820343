#!/usr/bin/env python3
"""Process 1, orphans, the status line: tare among other processes."""
import os
import pty
import select
import signal
import subprocess
import time

from clitest import TARE, Skip, expect, main, normal, script, tare, wait_for


def case_orphans_are_named(scratch):
    script(scratch, "parent", "#!/bin/sh\nsleep 30 >/dev/null 2>&1 &\necho $! > child\nsleep 0.3\nexit 3\n")
    begin = time.monotonic()
    done = tare("run", "--no-report", "-o", "run", "--", "./parent", cwd=scratch, status=3)
    took = time.monotonic() - begin
    child = int((scratch / "child").read_text())
    os.kill(child, signal.SIGKILL)
    assert took < 10, took  # it ended with the root
    expect("orphans", normal(done.stderr.decode(), scratch))


def case_orphans_that_left_the_tree(scratch):
    """A daemon is no descendant any more when the program ends, but was one when it was seen."""
    script(scratch, "parent", "#!/bin/sh\nsetsid sh -c 'echo $$ > child; sleep 0.4; exec sleep 30'"
           " >/dev/null 2>&1 &\nsleep 0.6\nexit 3\n")
    done = tare("run", "--no-report", "-o", "run", "--", "./parent", cwd=scratch, status=3)
    child = int((scratch / "child").read_text())
    os.kill(child, signal.SIGKILL)
    assert f"sleep (pid {child})".encode() in done.stderr, done


def case_no_descriptor_is_held_open(scratch):
    """Nothing of ours keeps the program's pipes open when it has ended."""
    done = subprocess.run([TARE, "run", "-q", "-o", "run", "--", "sh", "-c", "echo out"], cwd=scratch,
                          stdout=subprocess.PIPE, timeout=10)
    assert done.stdout == b"out\n"


def case_nothing_is_left_when_tare_is_killed(scratch):
    """The helper process beside tare goes when tare is killed; the program is not harmed."""
    script(scratch, "program", "#!/bin/sh\necho $$ > program.pid\nsleep 1\necho done > done\n")
    child = subprocess.Popen([TARE, "run", "-q", "-o", "run", "--", "./program"], cwd=scratch,
                             start_new_session=True)
    wait_for(lambda: (scratch / "program.pid").exists() and (scratch / "program.pid").read_text())
    group = os.getpgid(child.pid)
    child.kill()
    child.wait()
    wait_for(lambda: (scratch / "done").exists())

    def group_is_empty():
        try:
            os.killpg(group, 0)
            return False
        except ProcessLookupError:
            return True

    wait_for(group_is_empty)


def case_process_one(scratch):
    # The program leaves an orphan that ends at once: only process 1 can reap it.
    program = script(scratch, "program", "#!/bin/sh\n"
                     "sh -c 'sh -c \"sleep 0.2\" & echo $! > orphan'\nsleep 0.8\n"
                     "[ -d /proc/$(cat orphan) ] && echo left\n"
                     "echo parent $PPID\nexit 5\n")
    command = ["unshare", "-pf", "--mount-proc", TARE, "run", "-q", "-o", "run", "--", str(program)]
    if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("needs the right to make a pid namespace")
    done = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    assert (done.returncode, done.stdout) == (5, b"parent 1\n"), done


def case_process_one_passes_signals_on(scratch):
    if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("needs the right to make a pid namespace")
    program = script(scratch, "program", "#!/bin/sh\ntrap 'exit 44' TERM\ntouch up\n"
                     "while :; do sleep 0.05; done\n")
    outer = subprocess.Popen(["unshare", "-pf", "--mount-proc", TARE, "run", "-q", "-o", "run", "--",
                              str(program)], cwd=scratch, start_new_session=True)
    wait_for(lambda: (scratch / "up").exists())
    with open(f"/proc/{outer.pid}/task/{outer.pid}/children") as file:
        inner = int(file.read().split()[0])
    os.kill(inner, signal.SIGTERM)
    assert outer.wait(10) == 44


def read_all(master, pid):
    text = b""
    while True:
        ready = select.select([master], [], [], 0.05)[0]
        if ready:
            try:
                part = os.read(master, 4096)
            except OSError:
                part = b""
            if not part:
                break
            text += part
    return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def on_terminal(scratch, *words):
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(scratch)
        os.execv(TARE, [TARE, *words])
    try:
        return read_all(master, pid)
    finally:
        os.close(master)


def case_status_line(scratch):
    text, status = on_terminal(scratch, "run", "--no-report", "-o", "run", "--", "sleep", "1.3")
    assert status == 0
    assert b"\rtare: " in text and b"resident" in text, text
    last = text.rindex(b"resident")
    assert b"\r\x1b[K" in text[last:], text  # erased at the end


def case_status_line_is_silent_when_asked(scratch):
    text, status = on_terminal(scratch, "run", "-q", "-o", "run", "--", "sleep", "1.3")
    assert (status, text) == (0, b""), text


def case_status_line_needs_a_terminal(scratch):
    done = tare("run", "--no-report", "-o", "run", "--", "sleep", "0.8", cwd=scratch, status=0)
    assert b"resident" not in done.stderr and b"\r" not in done.stderr, done


main(globals())
