#!/usr/bin/env python3
# suite: check
# limit: 120
"""What holds the blocks is named, and what nothing holds is called lost."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

TARE, PROGRAMS, SCRATCH = (os.environ[name] for name in ("TARE", "PROGRAMS", "SCRATCH"))
WAYS = {  # how the blocks are kept: kind, and what the holder's path begins with
    "array": ("retained", "array (holders.c:30)"),
    "list": ("retained", "newest (holders.c:31)"),
    "shelf": ("retained", "shelf (holders.c:32) → +"),
    "stack": ("retained", "a stack"),
    "elsewhere": ("retained", "a stack"),
    "thread": ("retained", ""),
    "inside": ("retained", "array (holders.c:30)"),
    "stale": ("native", None),
    "lost": ("native", None),
    "larger": ("native", None),
}


def report(way, *options, status=0):
    home = Path(tempfile.mkdtemp(dir=SCRATCH))
    done = subprocess.run([TARE, "run", "-q", *options, "-o", home / "run", "--json", home / "report.json",
                           "--", f"{PROGRAMS}/holders", way], check=False, stdout=subprocess.DEVNULL)
    assert done.returncode == status, done.returncode
    return json.loads((home / "report.json").read_text())["processes"][0]


def check(way, kind, begins):
    process = report(way)
    finding = process["findings"][0]
    assert finding["kind"] == kind, f"{finding['kind']} instead of {kind}"
    if begins is None:
        assert finding["held_by"] is None, finding["held_by"]
    else:
        assert (finding["held_by"] or "").startswith(begins), finding["held_by"]
        assert finding["held_by"] is not None


def check_unproven(way, reason):
    """A search that cannot show that it works says nothing of what it did not find."""
    finding = report(way)["findings"][0]
    assert finding["kind"] == "retained" and finding["held_by"] is None, finding
    assert finding["holder_unsearched"] == reason, finding["holder_unsearched"]


def check_observe():
    """Only looking: nothing is asked of the program, so nothing is claimed about holders."""
    finding = report("list", "--observe")["findings"][0]
    assert finding["kind"] == "retained" and finding["held_by"] is None, finding
    assert any("not searched for" in line for line in finding["evidence"]), finding["evidence"]


def check_refused():
    """What was refused is searched for again while the program runs: it is killed, and answers no more."""
    finding = report("refused", status=128 + signal.SIGKILL)["findings"][0]
    assert finding["kind"] == "retained", finding["kind"]
    assert (finding["held_by"] or "").startswith("mapped (holders.c:"), finding


tare.Cases().each({**{way: lambda way=way, want=want: check(way, *want)
                      for way, want in WAYS.items()},
                   "observe": check_observe,
                   "refused": check_refused,
                   "reserved": lambda: check_unproven(
                       "reserved", "part of the program's memory could not be searched"),
                   "hidden": lambda: check_unproven(
                       "hidden", "the search did not find blocks that are certainly in use")})
