"""Run the program `tare` to get the report of the run that this process belongs to."""
import json
import os
import shutil
import subprocess
from pathlib import Path

WAIT = 60  # seconds that an answer may take


class Unavailable(RuntimeError):
    """There is no answer; the text says why."""


def program():
    """`tare` beside this package, as built, as installed or in a virtual environment, or on the path.

    None: nowhere.
    """
    home = Path(__file__).resolve().parents[2]  # build/, PREFIX/lib/tare, or lib/pythonX.Y
    for place in (home / "tare", home.parent.parent / "bin" / "tare"):
        if place.is_file() and os.access(str(place), os.X_OK):
            return str(place)
    return shutil.which("tare")


def untraced():
    """The environment without the probe: `tare` itself must not be watched."""
    return {name: value for name, value in os.environ.items()
            if name not in ("LD_PRELOAD", "PYTHONPATH") and not name.startswith("TARE_")}


def ledger():
    """This process's own; None: it has none."""
    directory = os.environ.get("TARE_DIR")
    found = sorted(Path(directory).glob("%d.*.tare" % os.getpid())) if directory else []
    return str(found[-1]) if found else None


def ask(*words):
    """What `tare WORDS` prints. Exit codes 0, 1 and 3 are verdicts, others are errors."""
    if program() is None:
        raise Unavailable("the program tare was not found beside its package nor on the path")
    done = subprocess.run([program()] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=untraced(), timeout=WAIT, check=False)
    if done.returncode not in (0, 1, 3):
        raise Unavailable(done.stderr.decode(errors="replace").strip())
    return done.stdout.decode(errors="replace")


def report():
    """The whole run's report so far."""
    directory = os.environ.get("TARE_DIR")
    if not directory:
        raise Unavailable("this process does not run under tare")
    return json.loads(ask("report", "--json", directory))


def lines():
    """The functions of this process that were measured line by line, as `tare lines --json` has them."""
    if ledger() is None:
        return []
    return json.loads(ask("lines", "--json", "-", ledger()))["functions"]
