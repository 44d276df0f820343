"""Shared by the tests: run a program under tare, read the result, print case lines."""
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(os.environ.get("ROOT", Path(__file__).resolve().parents[2]))
TARE = os.environ.get("TARE", str(ROOT / "build/tare"))
PROBE = str(Path(TARE).parent / "libtare-probe.so")
PROGRAMS = Path(os.environ.get("PROGRAMS", ROOT / "build/programs"))
SCRATCH = Path(os.environ.get("SCRATCH") or tempfile.mkdtemp(prefix="tare-test-"))

USAGE, UNDECIDED, BAD_LEDGER, IO_ERROR = 2, 3, 65, 74
# `tare report` exits with 0, 1 or 3 by its verdict; each means that it could read the ledgers.
READABLE = (0, 1, 3)
DIFFERS = 76  # exit status of a script in which only verdicts failed; tests/run reads it


class Skip(Exception):
    """This case cannot run here; the argument says why."""


class VerdictDiffers(Exception):
    """tare's verdict about a live program is wrong. Raised only by `judged`."""


def judged(right, shown=""):
    """Asserts what tare says about a live program: kind, rate, line, holder, how many were sampled.

    Such a program may be measured twice (tests/run, `measured: yes`). All that is not the doctor's opinion
    is for `assert`: a program's status and output, that a report can be read, exact counts.
    """
    if not right:
        raise VerdictDiffers(shown)


class Cases:
    """Collects the cases of one script; `finish()` ends it with the right status."""

    def __init__(self):
        self.failed = self.differing = 0
        self.only = sys.argv[1:]

    @contextlib.contextmanager
    def case(self, name):
        try:
            yield
        except Skip as why:
            print(f"skipped {name}: {why}", flush=True)
        except VerdictDiffers as other:
            self.differing += 1
            where = traceback.extract_tb(other.__traceback__)[-2]
            print(f"{where.filename}:{where.lineno}: {str(other) or where.line}\nDIFFERS {name}",
                  flush=True)
        except AssertionError as wrong:
            self.failed += 1
            where = traceback.extract_tb(wrong.__traceback__)[-1]
            print(f"{where.filename}:{where.lineno}: {wrong or where.line}\nFAILED {name}",
                  flush=True)
        except Exception:  # an error in the test itself; the other cases still run
            self.failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED {name}", flush=True)
        else:
            print(f"ok {name}", flush=True)

    def wanted(self, name):
        return not self.only or any(word in name for word in self.only)

    def each(self, table):
        """Runs {name: function}; by hand, words on the command line choose among them."""
        for name, function in table.items():
            if self.wanted(name):
                with self.case(name):
                    function()
        self.finish()

    def finish(self):
        sys.exit(1 if self.failed else DIFFERS if self.differing else 0)


class Result:
    """How a command ended. `directory` is its run directory when it ran under tare."""

    def __init__(self, status, out, err, directory=None):
        self.status, self.out, self.err, self.directory = status, out, err, directory

    def report(self):
        return report(self.directory)

    def processes(self):
        return self.report()["processes"]


counter = 0


def fresh(name="run"):
    """A path that does not exist yet."""
    global counter
    counter += 1
    return SCRATCH / f"{name}-{os.getpid()}-{counter}"


def environment(**more):
    """Our environment, without variables that would disturb the comparison; None removes a variable."""
    merged = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("TARE_")}
    merged.update({k: str(v) for k, v in more.items() if v is not None})
    return {k: v for k, v in merged.items() if more.get(k, "") is not None}


def plain(command, env=None, timeout=120, cwd=None, before=None, input=b""):
    """Runs a command as it is; its status is negative when a signal ended it."""
    done = subprocess.run([str(word) for word in command], input=input, capture_output=True,
                          timeout=timeout, cwd=cwd, preexec_fn=before, env=env or environment())
    return Result(done.returncode, done.stdout, done.stderr)


def traced(command, options=(), directory=None, **keywords):
    """The same under `tare run`, which returns 128 + the signal if a signal ended the program."""
    directory = directory or fresh()
    result = plain([TARE, "run", "-q", "-o", directory, *options, "--", *command], **keywords)
    result.directory = directory
    return result


def as_shell(status):
    """The status that a shell shows, which `tare run` returns, too."""
    return 128 - status if status < 0 else status


def report(path, timeout=60):
    """The JSON report of a run directory or ledger."""
    done = plain([TARE, "report", "--json", path], timeout=timeout)
    assert done.status in READABLE, f"report ended with {done.status}: {done.err.decode()}"
    return json.loads(done.out)


def root_process(answer):
    """The process that `tare run` started: the one whose parent is not among the others."""
    pids = {process["pid"] for process in answer["processes"]}
    roots = [p for p in answer["processes"] if p["parent_pid"] not in pids]
    assert roots, f"no root among {sorted(pids)}"
    return roots[0]


def root_memory(run):
    """Its memory in numbers."""
    return root_process(run.report())["memory"]


def ledgers(directory):
    """The ledgers of the program's processes."""
    return sorted(p for p in Path(directory).glob("*.tare") if p.name != "run.tare")


def same(command, options=(), clean=lambda text: text, **keywords):
    """Asserts that a command prints and returns the same with and without the probe."""
    alone = plain(command, **keywords)
    guest = traced(command, options, **keywords)
    assert guest.status == as_shell(alone.status), \
        f"status {guest.status} instead of {as_shell(alone.status)}: {guest.err.decode()[-2000:]}"
    for name in ("out", "err"):
        want, got = clean(getattr(alone, name)), clean(getattr(guest, name))
        assert got == want, f"std{name} differs:\n{got.decode()[-1500:]}\ninstead of\n{want.decode()[-1500:]}"
    return guest


def compile_program(source, output, *flags, compiler="gcc"):
    """Builds a small program for one case; skips it without a compiler."""
    if not shutil.which(compiler):
        raise Skip(f"no {compiler}")
    done = plain([compiler, "-g", "-I", ROOT / "include", *flags, "-o", output, source, "-pthread"])
    if done.status != 0:
        raise Skip(f"{compiler} {' '.join(map(str, flags))} does not work here")
    return output


def program(name):
    return PROGRAMS / name


def limit(kind, value):
    """For `before`: sets a resource limit in the child."""
    return lambda: resource.setrlimit(kind, (value, value))


def live_sites(process):
    """The places with live memory: {"allocated_at": [{file, line, function}], "live_bytes", …}."""
    return process["sites"]["live"]


def live_by_line(process, file):
    """{line: estimated live bytes} of the innermost frames in this file."""
    sums = {}
    for site in live_sites(process):
        mine = [f for f in site["allocated_at"] if f["file"] and Path(f["file"]).name == file]
        if mine:
            sums[mine[0]["line"]] = sums.get(mine[0]["line"], 0) + site["live_bytes"]
    return sums
