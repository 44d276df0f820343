"""A program under tare, and the copies of it that searches make. Used by the tests of copies."""
import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from ledger import Ledger  # noqa: E402
from mailbox import Mailbox, collect  # noqa: E402

SEARCHING, DONE, FAILED = 1, 2, 3  # layout.h: enum holder_state


def running(program):
    """Processes that run this file, whatever they call themselves."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if os.readlink(entry / "exe") == str(program):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class Crowd:
    """A copy of the program's file for this run alone, so that its processes are known by it."""

    def __init__(self, *words, name="crowd", through=(), before=None):
        self.program, self.directory = tare.fresh(name), tare.fresh()
        shutil.copy(tare.PROGRAMS / name, self.program)
        self.program = self.program.resolve()
        self.run = subprocess.Popen(
            [tare.TARE, "run", "-q", "-o", self.directory, "--rate", "16384", "--", *through,
             self.program, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=tare.environment(), preexec_fn=before)
        atexit.register(self.stop)
        said = self.run.stdout.readline()
        if said == b"refused\n":
            raise tare.Skip("the system does not allow what is tried here")
        assert said == b"ready\n", (said, self.run.stderr.read())
        self.pid = running(self.program)[0]

    def ledger(self):
        return Ledger(next(self.directory.glob(f"{self.pid}.*.tare")))

    def mail(self):
        return Mailbox(next(self.directory.glob(f"{self.pid}.*.mail")))

    def site(self, size):
        """Of the blocks of this size: index + 1 of the place that made most of them."""
        counts = {}
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(IndexError):  # a table grew while the file was read
                for block in self.ledger().live().values():
                    if size <= block.size <= size + 16:
                        counts[block.site] = counts.get(block.site, 0) + 1
            if counts:
                return max(counts, key=counts.get)
            time.sleep(0.05)
        raise AssertionError("none of its blocks were sampled")

    def ask(self, size=16):
        """Has somebody ask who holds blocks of this size."""
        return self.mail().holders(self.site(size))

    def answers(self, site):
        ledger = self.ledger()
        used = ledger.entry("holders").used
        return [record for record in list(ledger.records("holders"))[:used]
                if record.site == site and record.state != SEARCHING]

    def answered(self, slot, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            state = collect(slot)
            if state not in ("ASKED", "TAKEN", "CLAIMED"):
                return state
            time.sleep(0.01)
        raise AssertionError("the question was not answered")

    def copy(self, seconds=20):
        """The process id of a copy that is at work."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            others = [pid for pid in running(self.program) if pid != self.pid]
            if others:
                return others[0]
        raise AssertionError("no copy was made")

    def end(self):
        self.run.stdin.close()
        self.run.stdin = None
        out, err = self.run.communicate(timeout=60)
        assert self.run.returncode == 0, (self.run.returncode, err)
        return out

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.run.communicate(timeout=60)

    def stop(self):
        """What a failed case has left behind."""
        for pid in running(self.program):
            os.kill(pid, signal.SIGKILL)
        if self.run.poll() is None:
            self.run.communicate(timeout=60)

    def left(self, seconds):
        """Processes of it that are still there so long after the end."""
        deadline = time.monotonic() + seconds
        while running(self.program) and time.monotonic() < deadline:
            time.sleep(0.02)
        return running(self.program)
