"""Stored runs: where their programs ran, how to put that place there again, and their reports.

Every program ran in PLACE, an absolute path that is the same on every machine, because a run records
absolute paths and a report quotes lines only from files at those paths. NAME.tar.xz holds
    run/    the ledgers, without the room they never used (`tare strip`)
    place/  what else a report opens in PLACE: executables, and symbol tables of foreign modules
The sources are not in it: they are in programs/ and examples/, and go to PLACE from there.
"""
import contextlib
import ctypes
import difflib
import fcntl
import json
import os
import re
import shutil
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
from tare import READABLE, TARE, Skip, environment, fresh, plain  # noqa: E402

PLACE = Path("/tmp/tare-golden")
MARK = PLACE / ".tare-golden"  # says that PLACE was made here, and may be emptied
PROGRAMS, RUNS, EXPECTED = HERE / "programs", HERE / "runs", HERE / "expected"
EXAMPLES = [HERE.parent.parent / "examples/listeners.js"]  # programs that users see, too
LEDGERS = HERE.parent / "ledgers"
BLESS = os.environ.get("BLESS") == "1"
SHOWN = 40  # lines of a difference
WAIT = 30  # seconds for another test that uses PLACE
PYTHON, NODE = "/usr/bin/python3", "/usr/bin/node"

# What each stored run shows: the program, and the kind of its verdict.
RUNNING = {
    "retained": ("retained.py", "retained"),
    "cache": ("cache.py", "unbounded-cache"),
    "cycles": ("cycles.py", "gc-lag"),
    "plateau": ("plateau.py", "plateau"),
    "clean": ("clean.py", "clean"),
    "short": ("short.py", "undecided"),
    "workers": ("workers.py", "retained"),
    "native": ("native.c", "native"),
    "fragments": ("fragments.c", "fragmentation"),
    "listeners": ("listeners.js", "retained"),
}

# tests/ledgers: one run for each version of the ledger's format. Only the last can be recorded again.
VERSIONS = {
    "version1": ("sessions.py", "retained"),
    "version2": ("sessions.py", "retained"),
}


def lock(fd):
    """Waits for whoever else uses PLACE, another checkout for example."""
    end = time.monotonic() + WAIT
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise Skip(f"{PLACE} is in use") from None
            time.sleep(0.05)


def take():
    """A descriptor of PLACE, made and locked."""
    while True:
        try:
            PLACE.mkdir(mode=0o700, exist_ok=True)
        except OSError as why:
            raise Skip(f"{PLACE} cannot be made: {why.strerror}") from None
        try:
            fd = os.open(PLACE, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # its user has just removed it
        except OSError as why:
            raise Skip(f"{PLACE} cannot be used: {why.strerror}") from None
        try:
            lock(fd)
            if os.fstat(fd).st_uid != os.geteuid():
                raise Skip(f"{PLACE} belongs to somebody else")
            if PLACE.exists() and os.path.samestat(os.stat(PLACE), os.fstat(fd)):
                if not MARK.exists() and any(PLACE.iterdir()):
                    raise Skip(f"{PLACE} was not made by this test")
                MARK.touch()
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)  # removed while we waited, perhaps made again


def empty():
    for path in PLACE.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != MARK:
            path.unlink()


@contextlib.contextmanager
def place():
    """PLACE with the sources of all programs in it, for this process alone; gone afterwards."""
    fd = take()
    try:
        empty()
        for source in [*PROGRAMS.iterdir(), *EXAMPLES]:
            shutil.copyfile(source, PLACE / source.name)
        yield
    finally:
        shutil.rmtree(PLACE)
        os.close(fd)


def stored(name):
    """The file that holds this run."""
    return (LEDGERS if name in VERSIONS else RUNS) / f"{name}.tar.xz"


def expected(name, form):
    """The file that holds its report."""
    return (LEDGERS / "expected" if name in VERSIONS else EXPECTED) / f"{name}.{form}"


def unpack(name, target):
    """Puts the ledgers of a stored run into `target` and the rest into PLACE."""
    Path(target).mkdir(mode=0o700)
    with tarfile.open(stored(name)) as archive:
        for member in archive:
            part, _, rest = member.name.partition("/")
            path = Path(target if part == "run" else PLACE, rest)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())
            path.chmod(0o600)


# ---- reports ----

def normal(text):
    """Replaces what is not part of the diagnosis."""
    # The version of tare: a release changes no report.
    return re.sub(r'^  "tare": "[^"]*",$', '  "tare": "VERSION",', text, count=1, flags=re.M)


def report(run, *options):
    """From PLACE: a report shortens paths below the directory it is made in."""
    done = plain([TARE, "report", *options, run], cwd=PLACE, env=environment(LC_ALL="C.UTF-8"))
    assert done.status in READABLE, f"report ended with {done.status}: {done.err.decode()}"
    assert done.err == b"", done.err.decode()
    return normal(done.out.decode())


def difference(path, got):
    """Lines of a unified diff; none when the expected file holds the same bytes, or now does."""
    if BLESS:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(got.encode())
    want = path.read_bytes().decode() if path.exists() else ""
    return list(difflib.unified_diff(want.splitlines(True), got.splitlines(True), f"expected/{path.name}",
                                     "the report now", n=2))


def python_or_skip():
    done = plain(["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"])
    if done.status != 0:
        raise Skip("python3 is older than 3.9 and finds no lines that store")


def node_or_skip():
    if not shutil.which("node"):
        raise Skip("no node, which finds the lines that store")
    try:
        ctypes.CDLL("libstdc++.so.6")
    except OSError:
        raise Skip("no libstdc++ to demangle names with") from None


def check(name):
    """The report of a stored run is the expected one."""
    program, kind = (RUNNING | VERSIONS)[name]
    {".py": python_or_skip, ".js": node_or_skip}.get(os.path.splitext(program)[1], lambda: None)()
    run = fresh(name)
    with place():
        unpack(name, run)
        text, whole, document = report(run), report(run, "--verbose"), report(run, "--json")
    lines = (difference(expected(name, "txt"), text) + difference(expected(name, "verbose.txt"), whole)
             + difference(expected(name, "json"), document))
    more = len(lines) - SHOWN
    assert not lines, "\n" + "".join(lines[:SHOWN]) + (f"… and {more} more lines" if more > 0 else "")
    assert json.loads(document)["verdict"] == kind, f"not {kind} any more: see golden.py"
