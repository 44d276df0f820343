#!/usr/bin/env python3
# suite: check
# limit: 180
"""Files and directories that somebody else may write: neither the program nor tare dies of them."""
import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

STRANGER = 65534


def need_root():
    if os.geteuid() != 0:
        raise tare.Skip("only root has files of other users")


def become_stranger():
    os.setgid(STRANGER)
    os.setuid(STRANGER)


def directory_of(user=None, mode=0o755):
    path = tare.fresh("dir")
    path.mkdir()
    path.chmod(mode)
    if user is not None:
        os.chown(path, user, user)
    return path


def refused(path, *words):
    marker = tare.fresh("marker")
    run = tare.traced(["touch", marker], directory=path)
    said = run.err.decode().splitlines()
    assert run.status == tare.USAGE, f"{run.status}: {said}"
    assert len(said) == 1 and all(word in said[0] for word in words), said
    assert not marker.exists(), "the program was started"
    assert not list(path.iterdir()), "something was made in it"


def another_users_directory():
    need_root()
    refused(directory_of(STRANGER, 0o755), "belongs to another user", "-o")
    refused(directory_of(STRANGER, 0o700), "belongs to another user", "-o")


def directory_that_others_may_write():
    refused(directory_of(mode=0o777), "can be written by other users", "chmod go-w")
    refused(directory_of(mode=0o770), "can be written by other users", "chmod go-w")


def our_own_directory():
    path = directory_of(mode=0o755)
    run = tare.traced([tare.program("truth")], directory=path)
    assert run.status == 0 and tare.ledgers(path), run.err.decode()
    assert path.stat().st_mode & 0o777 == 0o700, "it can be read by others"


def bell_of_another_user():
    """The probe finds a bell that its owner could cut under it: it stays away, the program runs."""
    need_root()
    made = tare.traced([tare.program("truth")])
    env = tare.environment(LD_PRELOAD=tare.PROBE, TARE_DIR=made.directory)
    for victim in (made.directory, made.directory / "bell"):
        os.chown(victim, STRANGER, STRANGER)
        before = sorted(made.directory.iterdir())
        run = tare.plain(["sh", "-c", tare.program("truth")], env=env)
        assert run.status == 0 and not run.err, f"{run.status}: {run.err.decode()}"
        assert sorted(made.directory.iterdir()) == before, "it made a ledger"
        os.chown(victim, 0, 0)
    assert tare.plain(["sh", "-c", tare.program("truth")], env=env).status == 0
    assert sorted(made.directory.iterdir()) != before, "this case cannot fail"


def privileges_dropped():
    """It may make no ledger in root's directory any more; nothing else happens to it."""
    need_root()
    script = tare.fresh("drop").with_suffix(".py")
    script.write_text("""
import os
os.setgid(65534)
os.setuid(65534)
keep = [bytearray(1000) for _ in range(200000)]
child = os.fork()
if child == 0:
    more = [bytearray(1000) for _ in range(200000)]
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(keep))
""")
    run = tare.traced(["python3", script])
    assert run.status == 0 and run.out == b"5 200000\n", f"{run.status} {run.out} {run.err[-500:]}"


def cut_while_it_is_read():
    """Without a guard about a quarter of these reports end with SIGBUS."""
    made = tare.traced(["python3", "-c", "x = [bytearray(100) for _ in range(100000)]"],
                       ["--rate", "4096"])
    assert made.status == 0, made.err.decode()
    whole = tare.ledgers(made.directory)[0].read_bytes()
    place, when = tare.fresh("cut").with_suffix(".tare"), random.Random(3)
    began = time.monotonic()
    tare.plain([tare.TARE, "report", made.directory])
    usual = time.monotonic() - began
    for number in range(60):
        place.write_bytes(whole)
        report = subprocess.Popen([tare.TARE, "report", "--json", str(place)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=tare.environment())
        time.sleep(when.random() * usual)
        os.truncate(place, when.choice((0, 4096, 70000, len(whole) // 2)))
        said = report.communicate(timeout=60)[1].decode()
        assert report.returncode in (tare.BAD_LEDGER, *tare.READABLE), \
            f"report {number} ended with {report.returncode}: {said}"


def run_ledger_cut_by_the_program():
    """`tare run` has run.tare, the bell and the mailboxes mapped; the program cuts the first."""
    run = tare.traced(["sh", "-c", 'sleep 0.3; : > "$TARE_DIR/run.tare"; sleep 1; exit 4'])
    assert run.status == 4, f"{run.status}: {run.err.decode()}"


def mailbox_cut_by_the_program():
    """The child has ended, its mailbox is still mapped; and a live one's, which does not look."""
    run = tare.traced(["sh", "-c", 'sleep 0.3; for f in "$TARE_DIR"/*.mail; do : > "$f"; done; '
                       'sleep 1; kill -9 $$'])
    assert run.status == 137, f"{run.status}: {run.err.decode()}"


def strangers_run():
    """A run of another user, in a directory of that user; ends with the block."""
    tare.SCRATCH.chmod(0o711)
    home = directory_of(STRANGER, 0o700)
    return home / "run", subprocess.Popen(
        [tare.TARE, "run", "-q", "-o", str(home / "run"), "--", "python3", "-c",
         "import time\nx = [bytearray(100) for _ in range(100000)]\ntime.sleep(60)"],
        env=tare.environment(HOME=home), cwd=home, preexec_fn=become_stranger,
        stderr=subprocess.PIPE)


def others_only_when_asked():
    need_root()
    if tare.plain([tare.TARE, "--version"], before=become_stranger).status != 0:
        raise tare.Skip("another user cannot run this build")
    directory, run = strangers_run()
    try:
        end = time.monotonic() + 20
        while not (directory.exists() and tare.ledgers(directory)) and time.monotonic() < end:
            assert run.poll() is None, run.stderr.read().decode()
            time.sleep(0.05)
        assert tare.ledgers(directory), "the other user's run has no ledger"
        shown = tare.plain([tare.TARE, "top", "--once"]).out.decode()
        assert str(directory) not in shown, shown
        assert "of other users not shown (--all-users)" in shown, shown
        shown = tare.plain([tare.TARE, "top", "--once", "--all-users"]).out.decode()
        assert str(directory) in shown and "not shown" not in shown, shown
        for word in (directory, run.pid):
            live = tare.plain([tare.TARE, "live", "--once", word])
            assert live.status == tare.USAGE and b"another user" in live.err, live.err.decode()
            live = tare.plain([tare.TARE, "live", "--once", "--all-users", word])
            assert live.status == 0, live.err.decode()
    finally:
        run.terminate()
        run.communicate(timeout=20)


tare.Cases().each({
    "another_users_directory": another_users_directory,
    "directory_that_others_may_write": directory_that_others_may_write,
    "our_own_directory": our_own_directory,
    "bell_of_another_user": bell_of_another_user,
    "privileges_dropped": privileges_dropped,
    "cut_while_it_is_read": cut_while_it_is_read,
    "run_ledger_cut_by_the_program": run_ledger_cut_by_the_program,
    "mailbox_cut_by_the_program": mailbox_cut_by_the_program,
    "others_only_when_asked": others_only_when_asked,
})
