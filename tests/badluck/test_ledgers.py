#!/usr/bin/env python3
# suite: check
# limit: 240
"""Ledgers that are cut, forged, missing or in the way: one sentence and the right exit code."""
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

made = None


def a_run():
    """One run directory for all cases."""
    global made
    if made is None:
        made = tare.traced([tare.program("truth")], ["--rate", "4096"])
        assert made.status == 0 and tare.ledgers(made.directory), made.err.decode()
    return made.directory


def a_ledger():
    return tare.ledgers(a_run())[0]


def refused(path, status, *words, verb=("report",)):
    run = tare.plain([tare.TARE, *verb, path])
    said = run.err.decode().splitlines()
    assert run.status == status, f"{run.status} instead of {status}: {said}"
    assert len(said) == 1 and said[0].startswith("tare: "), f"one sentence expected: {said}"
    assert all(word in said[0] for word in words), f"{words} expected in: {said[0]}"


def variant(change):
    path = tare.fresh("changed").with_suffix(".tare")
    path.write_bytes(change(a_ledger().read_bytes()))
    return path


def cut_anywhere():
    """A cut in the header is refused; one behind it is refused or read. Never a crash."""
    whole = a_ledger().read_bytes()
    places = random.Random(1)
    lengths = [*range(0, 64), 100, 500, 1743, 1744, 4095, 4096, 4097,
               *(places.randrange(4096, len(whole)) for _ in range(25)), len(whole) - 1]
    path = tare.fresh("cut").with_suffix(".tare")
    for length in lengths:
        path.write_bytes(whole[:length])
        run = tare.plain([tare.TARE, "report", "--json", path])
        fine = (tare.BAD_LEDGER,) if length < 4096 else (tare.BAD_LEDGER, *tare.READABLE)
        assert run.status in fine, f"cut at {length}: {run.status} {run.err.decode()}"
        if run.status == tare.BAD_LEDGER:
            said = run.err.decode().splitlines()
            assert len(said) == 1 and said[0].startswith("tare: "), f"cut at {length}: {said}"


def bytes_turned():
    """Random bytes of the header and tables overwritten: an answer or a refusal, never a crash."""
    places = random.Random(2)
    path = tare.fresh("turned").with_suffix(".tare")
    for _ in range(60):
        bad = bytearray(a_ledger().read_bytes())
        for _ in range(places.randrange(1, 20)):
            bad[places.randrange(len(bad) if places.random() < 0.3 else 1744)] = \
                places.randrange(256)
        path.write_bytes(bad)
        run = tare.plain([tare.TARE, "report", "--json", path])
        assert run.status in (tare.BAD_LEDGER, *tare.READABLE), f"{run.status} {run.err.decode()}"


def newer_version():
    path = variant(lambda b: b[:8] + (99).to_bytes(4, "little") + b[12:])
    refused(path, tare.BAD_LEDGER, "version", "99")


def empty_directory():
    path = tare.fresh("empty")
    path.mkdir()
    refused(path, tare.BAD_LEDGER, str(path))


def one_bad_among_good():
    """The good ledgers are reported; the bad one is named."""
    copy = tare.fresh("copy")
    shutil.copytree(a_run(), copy)
    (copy / "99999.0.tare").write_bytes(b"TARE\r\n\032\n and then nothing")
    answer = tare.report(copy)
    assert any("99999.0.tare" in note for note in answer["notes"]), answer["notes"]


def symbolic_link():
    """A ledger that is a link is not followed: the directory may be anyone's."""
    copy = tare.fresh("copy")
    shutil.copytree(a_run(), copy)
    name = tare.ledgers(copy)[0]
    name.rename(copy.with_suffix(".elsewhere"))
    name.symlink_to(copy.with_suffix(".elsewhere"))
    run = tare.plain([tare.TARE, "report", "--json", copy])
    assert run.status in (tare.BAD_LEDGER, *tare.READABLE), run.err.decode()
    assert str(name.name) in (run.out + run.err).decode(), "the link was read without a word"


def two_runs_into_one_directory():
    directory = tare.fresh()
    first = tare.traced([tare.program("truth")], directory=directory)
    assert first.status == 0, first.err.decode()
    before = {p.name: p.read_bytes() for p in directory.iterdir()}
    second = tare.traced([tare.program("endings"), "return"], directory=directory)
    said = second.err.decode().splitlines()
    assert second.status in (tare.USAGE, tare.IO_ERROR), f"{second.status} {said}"
    assert len(said) == 1 and "-f" in said[0] and second.out == b"", said
    assert before == {p.name: p.read_bytes() for p in directory.iterdir()}, "it was written to"
    third = tare.traced([tare.program("endings"), "return"], ["-f"], directory=directory)
    assert third.status == 3, third.err.decode()
    names = {Path(process["program"]).name for process in third.processes()}
    assert names == {"endings"}, f"the old run is still there: {names}"


def unwritable_directory():
    blocked = tare.fresh("file")
    blocked.write_text("in the way")
    for path in (blocked / "run", Path("/proc/tare-run"), Path("/no/such/place/run")):
        run = tare.traced([tare.program("endings"), "return"], directory=path)
        said = [line for line in run.err.decode().splitlines() if line.startswith("tare: ")]
        assert run.status in (3, tare.IO_ERROR, tare.USAGE), f"{path}: {run.status} {said}"
        assert len(said) == 1 and str(path.parent) in said[0], f"{path}: {said}"


def private_files():
    """Nobody else can look into a run: 0700 and 0600, whatever the umask."""
    directory = tare.fresh()
    run = tare.traced([tare.program("truth")], directory=directory, before=lambda: os.umask(0))
    assert run.status == 0
    assert directory.stat().st_mode & 0o777 == 0o700, oct(directory.stat().st_mode)
    for path in directory.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, f"{path.name}: {oct(path.stat().st_mode)}"


def closed_output():
    """`tare report | head`: no complaint. A full disk behind stdout: a complaint, 74."""
    reader, writer = os.pipe()
    os.close(reader)
    for words in (["report"], ["report", "--json"]):
        done = subprocess.run([tare.TARE, *words, str(a_run())], stdout=writer,
                              stderr=subprocess.PIPE, env=tare.environment())
        assert done.returncode in tare.READABLE and not done.stderr, f"{words}: {done}"
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tare.TARE, *words, str(a_run())], stdout=full,
                                  stderr=subprocess.PIPE, env=tare.environment())
        assert done.returncode == tare.IO_ERROR, f"{words}: {done}"
        assert len(done.stderr.decode().splitlines()) == 1, f"{words}: {done}"
    os.close(writer)


def report_while_it_runs():
    directory, counter = tare.fresh(), tare.fresh("counter")
    run = subprocess.Popen([tare.TARE, "run", "-q", "-o", str(directory), "--",
                            str(tare.program("steps")), str(counter), "100000000"],
                           env=tare.environment(), stderr=subprocess.DEVNULL)
    try:
        while not (counter.exists() and counter.stat().st_size and counter.read_bytes()[0] > 20):
            assert run.poll() is None, f"ended with {run.returncode}"
        process = tare.root_process(tare.report(directory))
        assert process["ended"] == "running", process["ended"]
    finally:
        run.terminate()
        run.wait(timeout=20)


def usage(*words):
    run = tare.plain([tare.TARE, *words])
    said = run.err.decode().splitlines()
    assert run.status == tare.USAGE and len(said) == 1, f"{words}: {run.status} {said}"


tare.Cases().each({
    "cut_anywhere": cut_anywhere,
    "bytes_turned": bytes_turned,
    "newer_version": newer_version,
    "zero_bytes": lambda: refused(variant(lambda b: b""), tare.BAD_LEDGER),
    "not_a_ledger": lambda: refused(variant(lambda b: b"hello" * 2000), tare.BAD_LEDGER),
    "no_ledger_in_directory": empty_directory,
    "missing": lambda: refused("/no/such/run", tare.IO_ERROR, "/no/such/run"),
    "one_bad_among_good": one_bad_among_good,
    "symbolic_link": symbolic_link,
    "two_runs_into_one_directory": two_runs_into_one_directory,
    "unwritable_directory": unwritable_directory,
    "private_files": private_files,
    "closed_output": closed_output,
    "report_while_it_runs": report_while_it_runs,
    "no_verb": lambda: usage(),
    "unknown_verb": lambda: usage("dance"),
    "unknown_option": lambda: usage("run", "--dance", "--", "true"),
    "run_without_command": lambda: usage("run", "--"),
    "report_without_path": lambda: usage("report"),
})
