"""Stored runs: where their programs ran, and how to put that place there again.

Every program ran in PLACE, an absolute path that is the same on every machine, because a run records
absolute paths and a report quotes lines only from files at those paths. NAME.tar.xz holds
    run/    the ledgers, without the room they never used (`tare strip`)
    place/  what else a report opens in PLACE: executables, and symbol tables of foreign modules
The sources are not in it: they are in programs/, and go to PLACE from there.
"""
import contextlib
import fcntl
import os
import shutil
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
from tare import Skip  # noqa: E402

PLACE = Path("/tmp/tare-golden")
MARK = PLACE / ".tare-golden"  # says that PLACE was made here, and may be emptied
PROGRAMS, RUNS, EXPECTED = HERE / "programs", HERE / "runs", HERE / "expected"
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
        for source in sorted(PROGRAMS.iterdir()):
            shutil.copyfile(source, PLACE / source.name)
        yield
    finally:
        shutil.rmtree(PLACE)
        os.close(fd)


def unpack(name, target):
    """Puts the ledgers of a stored run into `target` and the rest into PLACE."""
    Path(target).mkdir(mode=0o700)
    with tarfile.open(RUNS / f"{name}.tar.xz") as archive:
        for member in archive:
            part, _, rest = member.name.partition("/")
            path = Path(target if part == "run" else PLACE, rest)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())
            path.chmod(0o600)
