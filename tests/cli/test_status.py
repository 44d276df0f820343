#!/usr/bin/env python3
"""The program's own status, input and output come through tare untouched."""
import os
import signal
import subprocess

from clitest import TARE, main, quietly, script, tare


def case_exit_codes(scratch):
    for code in (0, 1, 3, 77, 255):
        quietly("sh", "-c", f"exit {code}", cwd=scratch, status=code)


def case_killed_by_a_signal(scratch):
    for name in ("KILL", "TERM", "SEGV", "ABRT", "INT", "HUP"):
        number = getattr(signal, f"SIG{name}")
        quietly("sh", "-c", f"kill -{name} $$", cwd=scratch, status=128 + number)


def case_bytes_pass_through(scratch):
    data = os.urandom(300_000) + b"\0\r\n\xff"
    done = quietly("cat", cwd=scratch, status=0, stdin=None, input=data)
    assert done.stdout == data and done.stderr == b""


def case_standard_error_passes_through(scratch):
    done = quietly("sh", "-c", "printf 'a\\0b' >&2; printf out", cwd=scratch, status=0)
    assert (done.stdout, done.stderr) == (b"out", b"a\0b"), done


def case_closed_descriptors_stay_closed(scratch):
    probe = "import os\nfor fd in range(20):\n try: os.fstat(fd); print(fd, end=' ')\n except OSError: pass"
    path = script(scratch, "fds.py", probe)
    out = scratch / "out"
    plain = subprocess.run(["sh", "-c", f"python3 {path} >{out} <&- 2>&-; cat {out}"],
                           stdout=subprocess.PIPE, cwd=scratch)
    ours = subprocess.run(["sh", "-c", f"{TARE} run -q -- python3 {path} >{out} <&- 2>&-; cat {out}"],
                          stdout=subprocess.PIPE, cwd=scratch)
    assert plain.stdout == ours.stdout != b"", (plain.stdout, ours.stdout)


def case_environment_is_kept(scratch):
    code = "import os; print(os.environ.get('MINE'), 'LD_PRELOAD' in os.environ)"
    done = quietly("python3", "-c", code, cwd=scratch, status=0, env={"MINE": "kept", "TARE_OFF": "1"})
    assert done.stdout == b"kept False\n", done


def case_users_preload_comes_after_ours(scratch):
    done = quietly("sh", "-c", "printf %s \"$LD_PRELOAD\"", cwd=scratch, status=0,
                   env={"LD_PRELOAD": "libm.so.6"})
    parts = done.stdout.decode().split(":")
    assert len(parts) == 2 and parts[0].endswith("/libtare-probe.so") and parts[1] == "libm.so.6", done
    assert os.path.isabs(parts[0])


def case_the_run_directory_is_absolute(scratch):
    done = tare("run", "-q", "-o", "here", "--", "sh", "-c", "printf %s \"$TARE_DIR\"", cwd=scratch,
                status=0)
    assert done.stdout.decode() == str((scratch / "here").resolve()), done


def case_dispositions_and_mask_are_the_callers(scratch):
    """A signal ignored or blocked before tare is ignored or blocked in the program, no other is."""
    show = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"

    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})

    for before in (None, prepare):
        plain = subprocess.run(["sh", "-c", show], stdout=subprocess.PIPE, cwd=scratch,
                               preexec_fn=before)
        ours = subprocess.run([TARE, "run", "-q", "--", "sh", "-c", show], stdout=subprocess.PIPE,
                              cwd=scratch, preexec_fn=before)
        assert plain.stdout == ours.stdout, (plain.stdout, ours.stdout)


def case_switched_off(scratch):
    done = tare("run", "--", "sh", "-c", "exit 5", cwd=scratch, status=5, env={"TARE_OFF": "1"})
    assert done.stderr == b"tare: TARE_OFF=1 is set; sh runs untraced\n", done
    assert not list(scratch.iterdir())


main(globals())
