"""Have a program be searched for holders again and again while its threads are at work. Used by two tests.

The searches are asked for through the mailbox, as the doctor asks (mailbox.py); where the program has paused
for as long as it may, another run of it goes on. Every search must end, with the right answer or with
none; and the program must compute what it computes alone, see no child that is not its own, get no signal,
and leave no zombie.
"""
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import environments  # noqa: E402
import tare  # noqa: E402
from kill import processes_of, state  # noqa: E402
from ledger import Ledger  # noqa: E402
from mailbox import Mailbox, collect  # noqa: E402

FOLDER = Path(__file__).resolve().parent / "searched"
PROGRAMS = {  # name: environment, words of the command
    "torch_one": ("pytorch", ["torch_one.py"]),
    "torch_two": ("pytorch", ["torch_two.py"]),
    "torch_loader": ("pytorch", ["torch_loader.py"]),
    "tf_eager": ("tensorflow", ["tf_eager.py"]),
    "tf_thread": ("tensorflow", ["tf_thread.py"]),
    "tf_data": ("tensorflow", ["tf_data.py"]),
    "tf_keras_fit": ("tensorflow", ["tf_keras_fit.py"]),
    "tf_python": ("tensorflow", ["tf_python.py"]),
    "jax_256": ("jax", ["jax_step.py", "256"]),
    "jax_1200": ("jax", ["jax_step.py", "1200"]),
}
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow", "JAX_PLATFORMS": "cpu"}
BLOCK = 4 * 10007     # bytes of one that is kept (work.py), and …
ROOM = 256            # … what an allocator may add
SEEN = 8              # such blocks are known: the searches may begin
START_SECONDS = 120   # for imports and the first steps
SEARCH_SECONDS = 60   # for one search, from the question to the answer
END_SECONDS = 90
WRITES = 3            # unsearched.def
ALARM_SECONDS = 5     # a copy that failed after so long was ended by its own limit
RUNS_MOST = 5         # without a single search: it paused for something else
REFUSED_MOST = 3      # one after the other: the program has paused enough
SEARCHING, DONE, MODULE = 1, 2, 1  # layout.h: enum holder_state, enum owner_kind


class Tally:
    """What became of the searches of one program."""

    def __init__(self):
        self.right = self.wrong = self.killed = self.failed = self.refused = self.runs = 0
        self.pauses, self.seconds, self.said, self.notes = [], [], [], []

    def tries(self):
        return self.right + self.wrong + self.killed + self.failed

    def line(self, name):
        pauses = sorted(self.pauses) or [0]
        return (f"{name}: {self.tries()} tries in {self.runs} runs, {self.right} right, {self.wrong} wrong, "
                f"{self.killed} killed by the alarm, {self.failed} failed, {self.refused} refused; pause "
                f"{statistics.median(pauses) / 1e6:.1f} ms (at most {pauses[-1] / 1e6:.1f}), answer in "
                f"{statistics.median(self.seconds or [0]):.2f} s (at most {max(self.seconds or [0]):.2f})")


class Host:
    """The program under tare, until it is told to end."""

    def __init__(self, name):
        environment, words = PROGRAMS[name]
        self.command = [environments.ready(environment), FOLDER / words[0], *words[1:]]
        self.directory, self.stop = tare.fresh(), tare.fresh("stop")
        self.run = subprocess.Popen(
            [tare.TARE, "run", "-q", "-o", str(self.directory), "--rate", "16384", "--",
             *map(str, self.command), str(self.stop)], env=tare.environment(**QUIET),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.mail = None

    def alive(self):
        return self.run.poll() is None

    def ledger(self):
        return Ledger(next(self.directory.glob(f"{self.pid}.*.tare")))

    def begin(self):
        """Waits for the first blocks; the site (index + 1) that made most of them."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.alive():
            time.sleep(0.2)
            self.pid = next((pid for pid in processes_of(self.run.pid)
                             if any(self.directory.glob(f"{pid}.*.mail"))), None)
            if self.pid:
                site, blocks = self.site()
                if blocks >= SEEN:
                    self.mail = Mailbox(next(self.directory.glob(f"{self.pid}.*.mail")))
                    return site
        raise AssertionError(f"no block was kept in {START_SECONDS} s: {self.end()}")

    def site(self):
        """Of the blocks that the program keeps, and how many are known."""
        counts = {}
        for block in self.ledger().live().values():
            if BLOCK <= block.size <= BLOCK + ROOM:
                counts[block.site] = counts.get(block.site, 0) + 1
        return max(counts.items(), key=lambda item: item[1], default=(0, 0))

    def zombies(self):
        """Children that have ended and that nobody collects."""
        first = {pid for pid in processes_of(self.pid) if state(pid) == "Z"}
        deadline = time.monotonic() + 3
        while first and time.monotonic() < deadline:
            time.sleep(0.1)
            first = {pid for pid in first if Path(f"/proc/{pid}").exists()}
        return first

    def end(self):
        """Its status, and what it has said."""
        self.stop.touch()
        try:
            out, err = self.run.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            for pid in processes_of(self.run.pid):
                subprocess.run(["kill", "-KILL", str(pid)], check=False)
            self.run.kill()
            self.run.communicate()
            raise AssertionError("the program did not come to its end") from None
        assert self.run.returncode == 0, f"status {self.run.returncode}: {err.decode()[-2000:]}"
        return out.decode().split()


def answers(ledger, site, after):
    """[(record, [(kind, name)] from the root on)] for this site, of those behind the first `after`. The
    doctor may have asked too: what is still being searched for is none of ours."""
    used = ledger.entry("holders").used
    owners = list(ledger.records("owners"))[:ledger.entry("owners").used]
    found = []
    for number, record in enumerate(list(ledger.records("holders"))[:used], 1):
        if number > after and record.site == site and record.state != SEARCHING:
            path = sorted((o.position, o.kind, ledger.text(o.name) if o.name else "") for o in owners
                          if o.holder == number)
            found.append((record, [(kind, name) for _, kind, name in path]))
    return found


def is_right(record, path):
    return record.reached * 2 >= record.targets and len(path) > 1 and path[0] == (MODULE, "__main__") \
        and path[1][1] == "kept"


def note(tally, found, seconds):
    """False: the copy gave up, because the program's own writes to shared pages took too long."""
    for record, path in found:
        tally.pauses.append(record.pause_ns)
        tally.seconds.append(seconds)
        if record.reason == WRITES:
            tally.refused += 1
            return False
        if record.state != DONE:
            tally.killed += seconds >= ALARM_SECONDS
            tally.failed += seconds < ALARM_SECONDS
        elif is_right(record, path):
            tally.right += 1
        else:
            tally.wrong += 1
            tally.said.append(f"{record.reached} of {record.targets} through {path[:4]}")
    return True


def search_once(host, site, tally):
    """Asks, waits for the end, and notes it; False: it was refused."""
    before = host.ledger().entry("holders").used
    asked = time.monotonic()
    slot = host.mail.holders(site, SEARCH_SECONDS)
    answer = collect(slot)
    while answer in ("ASKED", "TAKEN"):
        assert host.alive(), f"the program has ended: {host.end()}"
        assert time.monotonic() - asked < 2 * SEARCH_SECONDS, f"a search is still {answer}"
        time.sleep(0.002)
        answer = collect(slot)
    assert answer != "EXPIRED", "the program did not come to take the question"
    if answer == "REFUSED":
        tally.refused += 1
        return False
    return note(tally, answers(host.ledger(), site, before), time.monotonic() - asked)


def search_run(name, tally, tries, chance):
    """One run of the program, searched up to so many tries or until it has paused enough."""
    host = Host(name)
    try:
        site, refused = host.begin(), 0
        while tally.tries() < tries and refused < REFUSED_MOST:
            refused = 0 if search_once(host, site, tally) else refused + 1
            time.sleep(chance.uniform(0, 0.05) + refused / 2)
        zombies = host.zombies()
        assert not zombies, f"zombies: {zombies}"
        said = host.end()
        tally.notes += [note for note in host.ledger().notes() if "search" in note]
        return host, said
    finally:
        host.run.kill()


def check_alone(host, said):
    """What the program has computed under search, it must compute alone."""
    steps, children, strange, _ = said
    assert strange == "0", f"of {children} children or their signals {strange} were strange"
    alone = tare.plain([*host.command, steps], env=tare.environment(**QUIET), timeout=900)
    assert alone.status == 0, alone.err.decode()[-2000:]
    assert alone.out.decode().split() == said, f"{alone.out.decode().split()} alone, {said} under search"


def check(name, tries):
    tally, chance = Tally(), random.Random(name)
    environments.ready(PROGRAMS[name][0])
    while tally.tries() < tries:
        assert tally.runs < RUNS_MOST + tries, f"too few searches: {tally.line(name)}"
        host, said = search_run(name, tally, tries, chance)
        tally.runs += 1
        check_alone(host, said)
    print(tally.line(name), *tally.said[:5], *sorted(set(tally.notes)), sep="\n    ", flush=True)
    assert tally.wrong == 0, f"{tally.wrong} wrong answers"
    assert tally.right * 10 >= tally.tries() * 9, "more than a tenth of the searches came to nothing"


def main(names, tries):
    tare.Cases().each({name: lambda name=name: check(name, tries) for name in names})
