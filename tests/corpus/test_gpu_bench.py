#!/usr/bin/env python3
# suite: check
"""bench/gpu/run judges reports written by hand: what is right, and what is wrong with the others."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["ROOT"])
MB = 1_000_000
SAID = {"steps": 600, "growth_per_step": 10240.0, "memory_allocated": 100 * MB, "memory_reserved": 120 * MB,
        "context": 500 * MB, "process": 640 * MB, "device_growth": 140 * MB}
DEVICE = {"index": 0, "name": "a device", "used": 100 * MB, "taken": 135 * MB}
FINDING = {"kind": "retained", "note": False, "memory": "device", "device": 0,
           "held_by": "outputs in __main__",
           "bytes_per_step": {"estimate": 10200, "low": 10000, "high": 10400},
           "allocated_at": [{"file": "kept_outputs.py", "line": 17}],
           "stored_at": {"file": "kept_outputs.py", "line": 22}}
failures = []


def report(verdict, findings=(), device=DEVICE):
    return {"verdict": verdict, "processes": [
        {"steps": {"clock": "optimizer", "count": 600}, "findings": list(findings),
         **({"devices": [device]} if device else {})}]}


def judged(name, said_of_it, said=SAID, status=0):
    """(status of bench/gpu/run, the row of this program, the sentences about it)."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / name
        folder.mkdir()
        (Path(scratch) / "versions.json").write_text('{"tare": "0"}')
        for way in ("plain", "traced"):
            result = {"status": status, "seconds": 5.0, "error": "an error", "late": None, "said": said}
            (folder / f"{way}.json").write_text(json.dumps(result))
        (folder / "report.json").write_text(json.dumps(said_of_it))
        done = subprocess.run([sys.executable, ROOT / "bench/gpu/run", "--again", "--tare", "tare", "--out",
                               scratch, name], capture_output=True, text=True)
        page = (Path(scratch) / "table.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| {name}"))
    return done.returncode, row, page


def expect(what, outcome, words, *arguments, **more):
    code, row, faults = judged(*arguments, **more)
    wrong = [word for word in words if word not in row + faults]
    if code != (outcome not in ("found", "right")) or not row.endswith(f"| {outcome} |") or wrong:
        failures.append(f"{what}: status {code}, {wrong} is not in {row!r}, {faults!r}")


LEAK, STEADY = "kept_outputs@native", "steady_training@native"
expect("a leak", "found", ["10240 | 10000 to 10400", "100.0 (+0.0%)", "135.0 (-0.8%)"], LEAK,
       report("retained", [FINDING]))
expect("a healthy program", "right", ["clean"], STEADY, report("clean"), {**SAID, "growth_per_step": 0})
expect("a leak that was not seen", "MISSED", ["says clean"], LEAK, report("clean"))
expect("a false alarm", "FALSE ALARM", ["says retained"], STEADY, report("retained", [FINDING]))
expect("memory of the host", "inexact", ["a finding about host memory"], LEAK,
       report("retained", [{**FINDING, "memory": "host"}]))
expect("no store line", "inexact", ["no store line"], LEAK,
       report("retained", [{**FINDING, "stored_at": None}]))
expect("a rate beside the interval", "inexact", ["rate outside the interval"], LEAK,
       report("retained", [{**FINDING, "bytes_per_step": {"estimate": 9500, "low": 9000, "high": 10000}}]))
expect("a wrong truth file", "inexact", ["the truth file's rate is wrong by (+9.9%)"], LEAK,
       report("retained", [FINDING]), {**SAID, "growth_per_step": 11250.0})
expect("live bytes", "inexact", ["live bytes differ by (+2.0%)"], STEADY,
       report("clean", device={**DEVICE, "used": 102 * MB}))
expect("bytes of the driver", "inexact", ["the driver's bytes differ by (-6.2%)"], STEADY,
       report("clean", device={**DEVICE, "taken": 100 * MB}))
expect("a refused request", "right", ["900.0, free 30.0"], "largest_batch",
       report("clean", device={**DEVICE, "refused": {"bytes": 900 * MB, "free": 30 * MB}}))
expect("no refused request", "inexact", ["no refused request"], "largest_batch",
       report("clean", device={**DEVICE, "refused": None}))
expect("no account of devices", "right", ["not there"], STEADY, report("clean", device=None))
expect("a program that failed", "BROKEN", ["alone it ended with status 1: an error"], LEAK, report("clean"),
       status=1)

print("\n".join(failures))
sys.exit(1 if failures else 0)
