"""Helpers for the tests of the command line: run tare, compare with an expected text, count.

A test module defines functions case_NAME and ends with main(globals()). Each is one test; it
fails by an assertion and is skipped by Skip("why"). Expected texts are in expected/NAME.txt;
with BLESS=1 in the environment they are rewritten instead of compared.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
from tare import DIFFERS, VerdictDiffers, judged  # noqa: E402,F401

TARE = os.environ.get("TARE", str(HERE.parent.parent / "build" / "tare"))
BLESS = os.environ.get("BLESS") == "1"


class Skip(Exception):
    pass


def tare(*words, cwd, status=None, env=None, **more):
    """Runs tare to its end; asserts the status if one is given."""
    environment = dict(os.environ)
    for name in ("TARE_OFF", "LD_PRELOAD", "TARE_DIR"):
        environment.pop(name, None)
    environment.update(env or {})
    more.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([TARE, *map(str, words)], cwd=cwd, env=environment, timeout=30,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if status is not None:
        assert done.returncode == status, f"status {done.returncode}, want {status}: {done.stderr}"
    return done


def quietly(*command, cwd, **more):
    """tare run without any words of its own, into a directory that goes with the scratch."""
    return tare("run", "-q", "--", *command, cwd=cwd, **more)


def normal(text, scratch):
    """What differs from run to run and from machine to machine, made the same."""
    text = text.replace(str(Path(scratch).resolve()), "SCRATCH").replace(str(scratch), "SCRATCH")
    text = re.sub(r"tare-run-([\w.-]+?)-\d+", r"tare-run-\1-PID", text)
    text = re.sub(r"\(pid \d+\)", "(pid PID)", text)
    return re.sub(r"\bpid[ =:]\d+", "pid PID", text)


def transcript(scratch, *runs):
    """Each run as "$ tare words", its output and its status, for comparison."""
    text = ""
    for words in runs:
        done = tare(*words, cwd=scratch)
        text += "$ tare " + " ".join(map(str, words)) + "\n"
        text += normal(done.stdout.decode() + done.stderr.decode(), scratch)
        text += f"[status {done.returncode}]\n\n"
    return text


def expect(name, text):
    path = HERE / "expected" / f"{name}.txt"
    if BLESS:
        path.write_text(text)
        return
    want = path.read_text() if path.exists() else ""
    if text != want:
        import difflib
        lines = difflib.unified_diff(want.splitlines(), text.splitlines(), str(path), "got",
                                     lineterm="")
        raise AssertionError("\n".join(lines))


def compile_c(scratch, name, source, *flags, compiler="gcc", language="c"):
    """A program made from C source; skipped where the compiler or its libraries are missing."""
    out = Path(scratch) / name
    done = subprocess.run([compiler, "-x", language, "-", "-o", str(out), *flags], input=source.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise Skip(f"{compiler} {' '.join(flags)} cannot build here")
    return out


def marked(scratch, name, source, *flags):
    """A program that marks its steps with the public header."""
    return compile_c(scratch, name, source, "-O1", "-g", f"-I{HERE.parent.parent / 'include'}", *flags,
                     "-pthread", "-ldl")


LEAK = """
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>
#include <unistd.h>

static void *keep(size_t size)
{
    return memset(malloc(size), 1, size);
}

int main(int count, char **words)
{
    const long steps = atol(words[1]), pause = atol(words[2]);
    const size_t size = count > 3 ? (size_t)atol(words[3]) : 3000;

    for (long i = 0; i < steps; i++) {
        char *volatile block = keep(size);

        tare_step((uint64_t)i);
        block = NULL; /* LOST */
        free(memset(malloc(100), 1, 100));
        usleep((useconds_t)pause);
        (void)block;
    }
    return 7;
}
"""

CLEAN = LEAK.replace("block = NULL; /* LOST */", "free(block);")


FOREVER = 100_000_000  # steps


def run_json(scratch, program, *options, status=None, words=(FOREVER, 2000)):
    """The JSON report, standard error and the seconds it took."""
    begin = time.monotonic()
    done = tare("run", "-o", "run", "--json", "report.json", *options, "--", program, *words,
                cwd=scratch, status=status)
    return (json.loads((scratch / "report.json").read_text()), done.stderr.decode(),
            time.monotonic() - begin)


def script(scratch, name, text, mode=0o755):
    path = Path(scratch) / name
    path.write_text(text)
    path.chmod(mode)
    return path


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def main(names):
    bad = differing = 0
    for name, case in list(names.items()):
        if not name.startswith("case_"):
            continue
        with tempfile.TemporaryDirectory(prefix="tare-cli-", dir=os.environ.get("SCRATCH")) as home:
            try:
                case(Path(home))
                print(f"ok {name[5:]}", flush=True)
            except Skip as why:
                print(f"skipped {name[5:]}: {why}", flush=True)
            except VerdictDiffers:
                differing += 1
                traceback.print_exc(file=sys.stdout)
                print(f"DIFFERS {name[5:]}", flush=True)
            except Exception as why:
                if "out of pty devices" in str(why):
                    print(f"skipped {name[5:]}: no terminal can be had here", flush=True)
                    continue
                bad += 1
                traceback.print_exc(file=sys.stdout)
                print(f"FAILED {name[5:]}", flush=True)
    sys.exit(1 if bad else DIFFERS if differing else 0)
