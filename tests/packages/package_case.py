"""What the tests of the packages share: build one, run programs from where it was installed."""
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

DIST = tare.ROOT / "build" / "dist"
LEAKY_PY = """import sys
kept = []
def train(step):
    kept.append(bytearray(20000))
for step in range(600):
    train(step)
"""
CLEAN_PY = """latest = None
def train(step):
    return [bytearray(20000), step]
for step in range(600):
    latest = train(step)
"""
LEAKY_JS = """const kept = [];
let left = 400;
setImmediate(function train() {
  kept.push(Buffer.alloc(20000));
  if (--left) setTimeout(train, 2);
});
"""
CLEAN_JS = LEAKY_JS.replace("kept.push(Buffer.alloc(20000))", "kept[0] = Buffer.alloc(20000)")
LEAKY_C = """#include <stdlib.h>
#include <tare/mark.h>
struct batch { struct batch *next; char bytes[20000]; };
static struct batch *history;
int main(void)
{
    for (uint64_t i = 0; i < 600; i++) {
        tare_step(i);
        struct batch *one = calloc(1, sizeof(*one));
        one->next = history;
        history = one;
    }
    return 0;
}
"""


def packed(kind, pattern):
    """The package that `make KIND` makes from this tree; one test at a time makes one."""
    if kind == "deb" and not shutil.which("dpkg-shlibdeps"):
        raise tare.Skip("no dpkg-shlibdeps")
    (tare.ROOT / "build").mkdir(exist_ok=True)
    with open(tare.ROOT / "build/packages.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = tare.plain(["make", "--no-print-directory", "-s", kind], cwd=tare.ROOT, timeout=300)
        assert done.status == 0, done.err.decode()[-2000:]
        found = sorted(DIST.glob(pattern), key=lambda path: path.stat().st_mtime)
        assert found, f"make {kind} left no {pattern}"
        copy = tare.fresh("dist")
        copy.mkdir()
        return Path(shutil.copy(found[-1], copy))


def written(name, text):
    home = tare.fresh("program")
    home.mkdir()
    (home / name).write_text(text)
    return home / name


def bare(**more):
    """An environment in which nothing but the package leads to tare."""
    words = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tare.SCRATCH), "LC_ALL": "C.UTF-8",
             "TMPDIR": str(tare.SCRATCH)}
    words.update({name: value for name, value in os.environ.items() if name.startswith(("PIP_", "npm_"))})
    words.update({name: str(value) for name, value in more.items()})
    return words


def reported(program, command, cwd, env=None):
    """The report of `PROGRAM run -- COMMAND`, by that program alone."""
    directory = tare.fresh()
    run = tare.plain([program, "run", "-q", "-o", directory, "--", *command], cwd=cwd,
                     env=env or bare())
    assert run.status == 0, run.err.decode()[-2000:]
    assert not run.err, run.err.decode()
    said = tare.plain([program, "report", "--json", directory], env=env or bare())
    return json.loads(said.out)


def root_of(answer):
    return tare.root_process(answer)


def is_leak_at(answer, line):
    root = root_of(answer)
    tare.judged(root["verdict"] == "retained", (root["verdict"], root["answer"], root["notes"]))
    finding = root["findings"][0]
    place = finding.get("stored_at") or finding["allocated_at"][0]
    tare.judged(place["line"] == line, finding)


def is_clean(answer):
    root = root_of(answer)
    tare.judged(root["verdict"] in ("clean", "plateau", "gc-lag", "framework-cache"),
           (root["verdict"], root["answer"]))


def opens_nothing_of_the_tree(program, command, cwd, env=None):
    """Neither tare nor what it runs opens a file of the tree that the package was built from."""
    if not shutil.which("strace"):
        raise tare.Skip("no strace")
    log = tare.fresh("strace")
    # The program cannot be preloaded into strace itself: it traces tare, and what tare starts.
    done = tare.plain(["strace", "-f", "-qq", "-s", "300", "-e",
                       "trace=open,openat,execve,readlink,access,newfstatat", "-o", log, program, "run",
                       "-q", "-o", tare.fresh(), "--", *command], cwd=cwd, env=env or bare(), timeout=300)
    if done.status != 0 and b"ptrace" in done.err.lower():
        raise tare.Skip("this machine does not let strace trace")
    assert done.status == 0, done.err.decode()[-1000:]
    text = log.read_text(errors="replace")
    assert "libtare-probe.so" in text, text[:2000]
    tree = re.escape(str(tare.ROOT))
    found = re.findall(rf'^.*"{tree}/.*$', text, re.M)
    assert not found, "\n".join(found[:5])


def same_bytes(kind, pattern):
    """Packed once more, it is the same to the last byte."""
    first, second = packed(kind, pattern), packed(kind, pattern)
    assert first.read_bytes() == second.read_bytes(), f"{first.name} differs from one time to the next"


def run(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False, **more)
    assert done.returncode == 0, (words, done.stdout.decode()[-1000:], done.stderr.decode()[-2000:])
    return done.stdout.decode()
