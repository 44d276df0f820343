#!/usr/bin/env python3
"""Signals reach the program once, whoever sent them to whom; job control works."""
import os
import pty
import select
import signal
import subprocess
import sys
import time

from clitest import TARE, Skip, main, script, wait_for

# Counts what it gets; ends on SIGUSR2 or after a while.
COUNTER = """#!/usr/bin/env python3
import os, signal, sys, time
out = open(sys.argv[1], 'a', buffering=1)
def note(number, frame):
    out.write(signal.Signals(number).name + '\\n')
for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGQUIT, signal.SIGCONT):
    signal.signal(s, note)
done = []
signal.signal(signal.SIGUSR2, lambda n, f: done.append(1))
out.write('pid %d\\n' % os.getpid())
end = time.monotonic() + 15
while not done and time.monotonic() < end:
    time.sleep(0.02)
out.write('end\\n')
sys.exit(9)
"""


class Counter:
    """The counting program under tare, alone in a process group, perhaps on a terminal."""

    def __init__(self, scratch, terminal=False):
        self.log = scratch / "log"
        self.log.write_text("")
        counter = script(scratch, "counter.py", COUNTER)
        command = [TARE, "run", "-q", "-o", str(scratch / "run"), "--", str(counter), str(self.log)]
        self.master = None
        if terminal:
            self.pid, self.master = pty.fork()
            if self.pid == 0:
                os.chdir(scratch)
                os.execv(command[0], command)
        else:
            self.pid = subprocess.Popen(command, cwd=scratch, start_new_session=True,
                                        stdin=subprocess.DEVNULL).pid
        wait_for(lambda: "pid" in self.log.read_text())
        self.program = int(self.log.read_text().split()[1])

    def seen(self):
        return self.log.read_text().split()[2:]

    def settle(self):
        time.sleep(0.4)
        return self.seen()

    def end(self):
        os.kill(self.program, signal.SIGUSR2)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if self.master is not None and select.select([self.master], [], [], 0)[0]:
                try:
                    os.read(self.master, 4096)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(self.pid, signal.SIGKILL)
        os.kill(self.program, signal.SIGKILL)
        raise AssertionError("tare did not end")


def case_sent_to_tare_alone(scratch):
    counter = Counter(scratch)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP):
        os.kill(counter.pid, number)
        wait_for(lambda: number.name in counter.seen())
    assert counter.settle() == ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP"], counter.seen()
    assert counter.end() == 9


def case_sent_to_the_group(scratch):
    counter = Counter(scratch)
    for number in (signal.SIGTERM, signal.SIGUSR1):
        os.killpg(counter.pid, number)
        wait_for(lambda: number.name in counter.seen())
        time.sleep(0.2)
    assert counter.settle() == ["SIGTERM", "SIGUSR1"], counter.seen()
    os.kill(counter.pid, signal.SIGTERM)  # and alone again, after the group's
    wait_for(lambda: counter.seen().count("SIGTERM") == 2)
    assert counter.settle() == ["SIGTERM", "SIGUSR1", "SIGTERM"], counter.seen()
    assert counter.end() == 9


def case_ten_to_the_group(scratch):
    counter = Counter(scratch)
    for turn in range(1, 11):
        os.killpg(counter.pid, signal.SIGUSR1)
        wait_for(lambda: len(counter.seen()) >= turn)
        time.sleep(0.05)
    assert counter.settle() == ["SIGUSR1"] * 10, counter.seen()
    assert counter.end() == 9


def case_control_c_on_a_terminal(scratch):
    counter = Counter(scratch, terminal=True)
    for turn in (1, 2):
        os.write(counter.master, b"\x03")
        wait_for(lambda: len(counter.seen()) >= turn)
        time.sleep(0.2)
    os.write(counter.master, b"\x1c")
    wait_for(lambda: "SIGQUIT" in counter.seen())
    assert counter.settle() == ["SIGINT", "SIGINT", "SIGQUIT"], counter.seen()
    assert counter.end() == 9


def case_dies_of_what_tare_gets(scratch):
    """A program that does not care dies of the signal, and tare says so."""
    child = subprocess.Popen([TARE, "run", "-q", "-o", str(scratch / "run"), "--", "sleep", "20"],
                             cwd=scratch, start_new_session=True)
    wait_for(lambda: children(child.pid, "sleep"))
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) == 128 + signal.SIGTERM


def state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def children(parent, name):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    text = file.read()
            except OSError:
                continue
            if f"({name})" in text and text.rsplit(")", 1)[1].split()[1] == str(parent):
                found.append(int(entry))
    return found


# A shell with job control: stops with its job, continues it on request.
SHELL = """
import os, signal, sys, time
tare, log, program = sys.argv[1], sys.argv[2], sys.argv[3:]
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(tare, [tare, 'run', '-q', '-o', log + '.run', '--', *program])
def say(text):
    with open(log, 'a') as file:
        file.write(text + '\\n')
while True:
    got, status = os.waitpid(pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        os.tcsetpgrp(0, os.getpgrp())
        say('stopped')
        sys.stdin.readline()
        os.tcsetpgrp(0, pid)
        say('continued')
        os.killpg(pid, signal.SIGCONT)
    else:
        say('status %d' % os.waitstatus_to_exitcode(status))
        break
"""


def case_stop_and_continue(scratch):
    log = scratch / "shell.log"
    log.write_text("")
    counter = script(scratch, "counter.py", COUNTER)
    shell = script(scratch, "shell.py", SHELL)
    notes = scratch / "notes"
    notes.write_text("")
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(scratch)
        os.execv(sys.executable, [sys.executable, str(shell), TARE, str(log), str(counter), str(notes)])
    wait_for(lambda: "pid" in notes.read_text())
    program = int(notes.read_text().split()[1])
    for turn in (1, 2):
        os.write(master, b"\x1a")
        wait_for(lambda: log.read_text().count("stopped") == turn)
        wait_for(lambda: state(program) == "T")
        os.write(master, b"\n")
        wait_for(lambda: log.read_text().count("continued") == turn)
        wait_for(lambda: state(program) in "SR")
        wait_for(lambda: notes.read_text().count("SIGCONT") >= turn)
    time.sleep(0.3)
    assert notes.read_text().split()[2:] == ["SIGCONT", "SIGCONT"], notes.read_text()
    os.kill(program, signal.SIGUSR2)
    wait_for(lambda: "status" in log.read_text())
    assert "status 9" in log.read_text()
    os.close(master)
    os.waitpid(pid, 0)


def case_continue_of_tare_alone(scratch):
    """Where only tare is continued (kill -CONT), the program is continued by it."""
    counter = script(scratch, "counter.py", COUNTER)
    notes = scratch / "notes"
    notes.write_text("")
    child = subprocess.Popen([TARE, "run", "-q", "-o", str(scratch / "run"), "--", str(counter), str(notes)],
                             cwd=scratch, process_group=0) if sys.version_info >= (3, 11) else None
    if child is None:
        raise Skip("needs Python 3.11")
    wait_for(lambda: "pid" in notes.read_text())
    program = int(notes.read_text().split()[1])
    child.send_signal(signal.SIGTSTP)
    wait_for(lambda: state(program) == "T")
    wait_for(lambda: state(child.pid) == "T")
    child.send_signal(signal.SIGCONT)
    wait_for(lambda: state(program) in "SR")
    os.kill(program, signal.SIGUSR2)
    assert child.wait(10) == 9


main(globals())
