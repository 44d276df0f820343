"""What the programs share: how long they run, a digest of what they compute, and children of their own.

    PROGRAM 500        runs 500 steps
    PROGRAM FILE       runs until FILE is there

Blocks of SIZE floats are kept in a variable of the program, `kept`: whoever looks for their holder must
find that.

SIGCHLD is blocked and asked for: a handler would run on whatever thread the system likes, and kernels of
oneDNN, which TensorFlow uses, have their stack in the middle of the heap, where the frame of a signal kills
the program, now and then, with tare or without.
"""
import hashlib
import os
import signal
import struct
import sys

SIZE = 10007  # floats of a block that is kept: no other is as large
KEPT = 24     # blocks: soon there are no more, so that nobody but the test asks much
EVERY = 40    # steps between two children

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # before a framework has threads


def signalled():
    return signal.sigtimedwait({signal.SIGCHLD}, 0) is not None


class Work:
    def __init__(self):
        self.end = sys.argv[-1]
        self.steps = self.children = self.strange = 0
        self.digest = hashlib.sha256()
        signalled()  # of what imports have started

    def goes_on(self):
        if self.end.isdigit():
            return self.steps < int(self.end)
        return not os.path.exists(self.end)

    def did(self, result):
        """One step is done, and this is what came of it."""
        self.digest.update(struct.pack("<d", float(result)))
        self.steps += 1
        if self.steps % EVERY == 0:
            self.have_child()

    def have_child(self):
        """Whoever waits for any child must get this one, and know of no other but those that run; and
        there is one signal for it."""
        self.strange += signalled()
        child = os.posix_spawn("/bin/true", ["true"], os.environ)
        self.children += 1
        ended, status = os.waitpid(-1, 0)
        self.strange += ended != child or status != 0 or not signalled() or signalled()
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        self.strange += ended != 0

    def tell(self):
        print(self.steps, self.children, self.strange, self.digest.hexdigest(), flush=True)
