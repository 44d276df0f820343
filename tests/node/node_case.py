"""What the tests of the Node adapter share: versions of Node, packages, and what a run has counted."""
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402,F401
import tare  # noqa: E402
from counted import clocks, greeted, root, steps  # noqa: E402,F401
from tare import judged  # noqa: E402,F401

ADAPTER = Path(tare.TARE).resolve().parent / "node"
CACHE = tare.ROOT / "build" / "npm"
VERSIONS = ("18", "20", "22", "24")


def node():
    """The Node of this machine."""
    found = shutil.which("node")
    if not found:
        raise tare.Skip("no node")
    return found


def packages(name, *wanted):
    """A directory with node_modules that holds these packages, made once under build/."""
    place = CACHE / name
    if not shutil.which("npm"):
        raise tare.Skip("no npm")
    place.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (place / "complete").exists():
            return place
        (place / "package.json").write_text('{"private": true}')
        done = tare.plain(["npm", "install", "--no-audit", "--no-fund", *wanted], cwd=place,
                          timeout=600)
        if done.status != 0:
            raise tare.Skip(f"npm cannot install {' '.join(wanted)}")
        (place / "complete").write_text("")
    return place


def listed(name, tool="npm"):
    """The same for corpus/NAME/package.json, which the corpus shares; the tool may be tfjs-node."""
    command = [tare.ROOT / "tools" / tool, *([name] if tool == "npm" else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise tare.Skip(f"the packages of {name} cannot be had: {lines[-1]}")
    return Path(done.stdout.strip())


def version(number):
    """The Node of this major version, as npm's package `node` provides it."""
    own = tare.plain([node(), "--version"]).out.decode()
    if own.startswith(f"v{number}."):
        return node()
    binary = packages(f"node-{number}", f"node@{number}") / "node_modules/node/bin/node"
    if tare.plain([binary, "--version"]).status != 0:
        raise tare.Skip(f"npm's node@{number} does not run here")
    return str(binary)


def folder(place=None, **files):
    """A new directory with these files (a_js is a.js), and the packages of `place` beside them."""
    made = tare.fresh("files")
    made.mkdir(parents=True)
    for name, text in files.items():
        stem, ending = name.rsplit("_", 1)
        (made / f"{stem}.{ending}").write_text(text)
    if place:
        (made / "node_modules").symlink_to(place / "node_modules")
    return made


def script(text, ending="js", place=None):
    return folder(place, **{f"main_{ending}": text}) / f"main.{ending}"


def findings(run):
    """(kind, line of the innermost place, holder) of the findings that decide."""
    return [(f["kind"], f["allocated_at"][0]["line"] if f["allocated_at"] else None, f["held_by"])
            for f in root(run)["findings"] if not f["note"]]


def environment(**more):
    return tare.environment(NODE_OPTIONS=more.pop("NODE_OPTIONS", None), **more,
                            PATH=os.environ["PATH"])
