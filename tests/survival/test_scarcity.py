#!/usr/bin/env python3
# suite: check
# limit: 240
"""Too little of everything: disk, address space, descriptors, /proc. The program never dies of us."""
import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402


@contextlib.contextmanager
def small_disk(size):
    """A file system of its own, `size` large."""
    place = tare.fresh("disk")
    place.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        raise tare.Skip("mounting needs root")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tare-test", place],
                      capture_output=True).returncode:
        raise tare.Skip("mount is refused here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def expect_as_alone(command, directory, **keywords):
    """The program says and returns what it does alone, wherever its ledger was to go."""
    alone = tare.plain(command, **keywords)
    guest = tare.traced(command, ["--rate", "1024"], directory=directory, **keywords)
    assert (guest.status, guest.out) == (tare.as_shell(alone.status), alone.out), \
        f"{guest.status} instead of {alone.status}: {guest.err.decode()[-2000:]}"
    return guest


def disk_fills_during_the_run(size="4m"):
    with small_disk(size) as disk:
        guest = expect_as_alone([tare.program("storm"), 4, 60000], disk / "run")
        if (disk / "run").exists():
            answer = tare.plain([tare.TARE, "report", "--json", disk / "run"])
            assert answer.status in (*tare.READABLE, tare.BAD_LEDGER), answer.err.decode()
        assert b"\n" not in guest.err.strip(), f"more than one sentence: {guest.err.decode()}"


def disk_filled_by_the_program():
    """The program itself takes the last block of the disk while it allocates."""
    with small_disk("4m") as disk:
        script = 'i=0; while [ $i -lt 64 ]; do head -c 100000 /dev/zero >> "$0"; i=$((i+1)); done'
        guest = tare.traced(["sh", "-c", f"{script} 2>/dev/null; exit 5", disk / "filler"],
                            ["--rate", "1"], directory=disk / "run")
        assert guest.status == 5, f"{guest.status}: {guest.err.decode()[-2000:]}"


def under_limit(flag, value, name, *words):
    """The limit bites the program and its probe; tare itself runs without it."""
    command = ["sh", "-c", f'ulimit {flag} {value} && exec "$@"', "sh", tare.program(name), *words]
    alone, guest = tare.plain(command), tare.traced(command)
    assert (guest.status, guest.out) == (tare.as_shell(alone.status), alone.out), \
        f"ulimit {flag} {value}: {guest.status} instead of {alone.status}: {guest.err.decode()}"


def address_space_too_small():
    """Too little for the program itself; then for it and its libraries, but not for all that we take."""
    tight = range(9800, 11000, 100)
    for kilobytes in (1000, 2000, *tight, 20000, 60000, 80000, 100000, 200000, 300000):
        under_limit("-v", kilobytes, "endings", "return")


def few_descriptors():
    """With three the loader itself finds none left."""
    for count in (3, 4, 5, 6):
        under_limit("-n", count, "storm", "2", "1000")


def tare_itself_with_few_descriptors():
    """Whether or not anything can be recorded, the program runs and its status is ours."""
    for count in (4, 5, 6, 7, 8, 12):
        guest = tare.traced([tare.program("endings"), "return"],
                            before=tare.limit(resource.RLIMIT_NOFILE, count))
        assert guest.status == 3, f"{count} descriptors: {guest.status}: {guest.err.decode()}"


def closed_standard_descriptors():
    for words in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        marker = tare.fresh("marker")
        command = f'exec "$@" {words}'
        script = f"echo here > {marker}; exit 4"
        run = tare.plain(["sh", "-c", command, "sh", tare.TARE, "run", "-q", "-o", tare.fresh(),
                          "--", "sh", "-c", script])
        assert run.status == 4 and marker.exists(), f"{words}: {run.status} {run.err.decode()}"


def no_proc():
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise tare.Skip("taking /proc away needs root and unshare")
    hide = ["unshare", "-m", "sh", "-c", 'umount -l /proc && [ ! -e /proc/self ] && exec "$@"',
            "sh"]
    if tare.plain([*hide, "true"]).status != 0:
        raise tare.Skip("/proc cannot be taken away here")
    directory = tare.fresh()
    run = tare.plain([*hide, tare.TARE, "run", "-q", "-o", directory, "--",
                      tare.program("endings"), "return"])
    assert run.status == 3, f"{run.status}: {run.err.decode()}"
    assert run.out == tare.plain([tare.program("endings"), "return"]).out
    tare.report(directory)


def file_size_limit():
    """Beyond RLIMIT_FSIZE a write is answered with a deadly signal: we must not send ourselves it."""
    for blocks in (0, 1, 100, 10000):
        under_limit("-f", blocks, "endings", "return")


def directory_goes_away():
    """Someone removes the run directory while the program runs."""
    directory = tare.fresh()
    script = f"rm -rf {directory}; for i in 1 2 3; do /bin/true; done; exit 6"
    run = tare.traced(["bash", "-c", script], ["--rate", "1"], directory=directory)
    assert run.status == 6, f"{run.status}: {run.err.decode()}"


NOBODY = 65534
LOCKED_MOST = 8 << 20  # what the kernel allows a user by default


def as_a_user():
    """Root may lock as much as it likes; a user may not."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (LOCKED_MOST, LOCKED_MOST))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


@contextlib.contextmanager
def users_place():
    """A directory in which that user may make a run."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        yield Path(place)


def locked_memory(rate):
    """mlockall counts every address in use, and each mapping after it is locked or refused."""
    with users_place() as place:
        shutil.copy(tare.program("locked"), place / "locked")
        alone = tare.plain([place / "locked"], before=as_a_user)
        assert alone.out == b"mlockall: locked\ndone\n", alone.out
        guest = tare.traced([place / "locked"], ["--rate", rate], directory=place / "run",
                            before=as_a_user)
        assert (guest.status, guest.out) == (0, alone.out), \
            f"{guest.status} {guest.out} {guest.err.decode()[-2000:]}"
        assert tare.root_memory(guest)["allocated_blocks"] > 2000, "nothing was recorded"


tare.Cases().each({
    "disk_of_4_mb_fills": disk_fills_during_the_run,
    "disk_of_200_kb_fills": lambda: disk_fills_during_the_run("200k"),
    "disk_of_8_kb_fills": lambda: disk_fills_during_the_run("8k"),
    "disk_filled_by_the_program": disk_filled_by_the_program,
    "address_space_too_small": address_space_too_small,
    "few_descriptors": few_descriptors,
    "tare_itself_with_few_descriptors": tare_itself_with_few_descriptors,
    "closed_standard_descriptors": closed_standard_descriptors,
    "no_proc": no_proc,
    "file_size_limit": file_size_limit,
    "directory_goes_away": directory_goes_away,
    "locked_memory": lambda: locked_memory(65536),
    "locked_memory_every_block": lambda: locked_memory(1),
})
