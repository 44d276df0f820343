#!/usr/bin/env python3
"""Where a run is kept: modes, refusals, what -f removes, what happens when nothing can be written."""
import os
import stat
import subprocess
import sys

from clitest import TARE, Skip, expect, main, normal, script, tare, wait_for


def run_into(scratch, directory, *options, command=("sh", "-c", "exit 4"), **more):
    return tare("run", "-q", *options, "-o", directory, "--", *command, cwd=scratch, **more)


def case_modes(scratch):
    os.umask(0)
    try:
        run_into(scratch, "made", status=4)
    finally:
        os.umask(0o022)
    assert stat.S_IMODE((scratch / "made").stat().st_mode) == 0o700
    names = sorted(path.name for path in (scratch / "made").iterdir())
    assert "run.tare" in names and "bell" in names, names
    for path in (scratch / "made").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def case_default_directory(scratch):
    tare("run", "-q", "--", "true", cwd=scratch, status=0)
    tare("run", "-q", "--", "true", cwd=scratch, status=0)
    names = [path.name for path in scratch.iterdir()]
    assert len(names) == 2 and all(name.startswith("tare-run-true-") for name in names), names


def case_an_empty_directory_is_taken(scratch):
    (scratch / "empty").mkdir(mode=0o755)
    run_into(scratch, "empty", status=4)
    assert stat.S_IMODE((scratch / "empty").stat().st_mode) == 0o700


def case_never_overwrites(scratch):
    run_into(scratch, "again", status=4)
    before = (scratch / "again" / "run.tare").stat()
    done = run_into(scratch, "again", status=2, command=("touch", "ran"))
    expect("never_overwrites", normal(done.stderr.decode(), scratch))
    assert not (scratch / "ran").exists()
    after = (scratch / "again" / "run.tare").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def case_force_removes_only_ours(scratch):
    run_into(scratch, "again", status=4)
    keep = {"notes.txt": "mine", "12.0.tare": "not a ledger at all", "x.tare": "mine too"}
    for name, text in keep.items():
        (scratch / "again" / name).write_text(text)
    (scratch / "again" / "13.0.mail").symlink_to(scratch / "again" / "notes.txt")
    (scratch / "again" / "14.0.tare").write_bytes(b"")
    (scratch / "again" / "15.0.tare").write_bytes(b"TARE\r\n\x1a\nrest")
    (scratch / "again" / "folder").mkdir()
    old = (scratch / "again" / "run.tare").stat().st_ino
    holder = os.open(scratch / "again" / "run.tare", os.O_RDONLY)  # so that its number stays taken
    run_into(scratch, "again", "-f", status=4)
    os.close(holder)
    left = {path.name for path in (scratch / "again").iterdir()}
    assert {"notes.txt", "12.0.tare", "x.tare", "13.0.mail", "folder"} <= left, left
    assert "14.0.tare" not in left and "15.0.tare" not in left, left
    assert (scratch / "again" / "run.tare").stat().st_ino != old
    for name, text in keep.items():
        assert (scratch / "again" / name).read_text() == text


def case_force_leaves_a_foreign_directory_its_mode(scratch):
    (scratch / "home").mkdir(mode=0o755)
    (scratch / "home" / "file").write_text("x")
    run_into(scratch, "home", "-f", status=4)
    assert stat.S_IMODE((scratch / "home").stat().st_mode) == 0o755


def case_a_directory_everyone_writes_is_refused(scratch):
    (scratch / "open").mkdir()
    (scratch / "open" / "file").write_text("x")
    (scratch / "open").chmod(0o777)
    done = run_into(scratch, "open", "-f", status=2)
    expect("open_directory", normal(done.stderr.decode(), scratch))


def case_two_runs_at_once(scratch):
    script(scratch, "hold", "#!/bin/sh\ntouch started\nwhile [ ! -e stop ]; do sleep 0.05; done\nexit 6\n")
    first = subprocess.Popen([TARE, "run", "-q", "-o", "shared", "--", "./hold"], cwd=scratch)
    try:
        wait_for(lambda: (scratch / "started").exists())
        for options in ([], ["-f"]):
            done = run_into(scratch, "shared", *options, status=2)
            assert b"is in use by another run" in done.stderr, done
    finally:
        (scratch / "stop").touch()
    assert first.wait(10) == 6


def case_not_a_directory(scratch):
    (scratch / "file").write_text("precious")
    for options in ([], ["-f"]):
        done = run_into(scratch, "file", *options, status=2)
        assert b"is not a directory" in done.stderr, done
    assert (scratch / "file").read_text() == "precious"


def case_missing_parent_runs_untraced(scratch):
    done = run_into(scratch, "no/such/place", status=4)
    expect("missing_parent", normal(done.stderr.decode(), scratch))


def case_unwritable_runs_untraced(scratch):
    done = run_into(scratch, "/proc/tare", status=4)
    expect("unwritable", normal(done.stderr.decode(), scratch))


def case_full_disk_runs_untraced(scratch):
    room = scratch / "small"
    room.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(room)],
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("needs the right to mount")
    try:
        done = run_into(scratch, room / "run", status=4)
        assert b"sh runs untraced" in done.stderr and done.stderr.count(b"\n") == 1, done
        assert not list(room.iterdir())
    finally:
        subprocess.run(["umount", str(room)], check=True)


def case_disk_that_fills_before_the_program_starts(scratch):
    """Room for the run's own ledger, none for the program's: said once, and the program runs."""
    room = scratch / "small"
    room.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(room)],
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("needs the right to mount")
    try:
        allocate = "x = [bytes(1000000) for i in range(40)]; import sys; sys.exit(4)"
        done = tare("run", "-q", "-o", room / "run", "--", sys.executable, "-c", allocate, cwd=scratch,
                    status=4)
        assert b"no ledger could be made for 1 of the processes" in done.stderr, done
        assert done.stderr.count(b"\n") == 1, done
    finally:
        subprocess.run(["umount", str(room)], check=True)


def case_file_size_limit_runs_untraced(scratch):
    done = subprocess.run(["sh", "-c", f"ulimit -f 8; exec {TARE} run -q -o run -- sh -c 'exit 4'"],
                          cwd=scratch, stderr=subprocess.PIPE)
    assert done.returncode == 4, done
    assert b"sh runs untraced" in done.stderr and done.stderr.count(b"\n") == 1, done


def case_json_beside_the_report(scratch):
    (scratch / "out.json").write_text("old")
    tare("run", "--json", "out.json", "-q", "--", "true", cwd=scratch, status=0)
    assert (scratch / "out.json").read_text().startswith("{")
    assert not [path for path in scratch.iterdir() if path.name.endswith(".new")]
    done = tare("run", "--json", "-", "-q", "--", "true", cwd=scratch, status=0)
    assert done.stdout.startswith(b"{"), done


def case_json_to_an_unwritable_file(scratch):
    done = tare("run", "-q", "--json", "no/such/out.json", "--", "sh", "-c", "exit 4", cwd=scratch,
                status=4)
    expect("json_unwritable", normal(done.stderr.decode(), scratch))


def case_report_goes_to_standard_error(scratch):
    done = tare("run", "--", "printf", "hello", cwd=scratch, status=0)
    assert done.stdout == b"hello", done
    assert b"the run is kept in" in done.stderr, done
    done = tare("run", "--no-report", "--", "true", cwd=scratch, status=0)
    assert done.stderr.count(b"\n") == 1, done


def case_exit_code_of_the_verdict(scratch):
    done = tare("run", "-q", "--exit-code", "--", "sh", "-c", "exit 99", cwd=scratch)
    assert done.returncode in (0, 1, 3), done


main(globals())
