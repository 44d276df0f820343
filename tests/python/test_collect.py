#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 120
"""Garbage that waits for the collector is told from memory that something holds."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402

TARE, SCRATCH = os.environ["TARE"], os.environ["SCRATCH"]
BEGIN = """
import gc, tare
class Node:
    def __init__(self):
        self.buffer = bytearray(30000)
        self.me = self
kept = []
"""
LOOP = """
for turn in range(200):
    tare.step()
    node = Node()
"""
CASES = {  # program: verdict, and what its first finding must say
    "cycles_with_the_collector_off": (BEGIN + "gc.disable()" + LOOP, "gc-lag", "After a collection"),
    "cycles_with_a_high_threshold": (BEGIN + "gc.set_threshold(10**8)" + LOOP, "gc-lag",
                                     "After a collection"),
    "cycles_in_a_long_run": (BEGIN + "import time; gc.disable()" + LOOP.replace("200", "600") +
                             "    time.sleep(0.004)\n", "gc-lag", "After a collection"),
    "cycles_that_the_program_collects": (BEGIN + "gc.disable()" + LOOP +
                                         "    if turn % 20 == 19: gc.collect()\n", "clean", None),
    "held_in_a_list": (BEGIN + LOOP + "    kept.append(node)\n", "retained", "After a collection"),
    "nothing_kept": (BEGIN + LOOP.replace("Node()", "bytearray(30000)"), "clean", None),
}


def check(source, verdict, says):
    home = Path(tempfile.mkdtemp(dir=SCRATCH))
    program = home / "program.py"
    program.write_text(source + "\nprint(gc.isenabled())\n")
    run = subprocess.run([TARE, "run", "-q", "-o", home / "run", "--json", home / "report.json",
                          "--", sys.executable, program], check=True, capture_output=True, text=True)
    alone = subprocess.run([sys.executable, "-c",
                            "import sys, types; sys.modules['tare'] = types.SimpleNamespace("
                            "step=lambda: None); exec(open(sys.argv[1]).read())", program],
                           check=True, capture_output=True, text=True)
    report = json.loads((home / "report.json").read_text())
    judged(report["verdict"] == verdict, f"{report['verdict']} instead of {verdict}: {report}")
    assert run.stdout == alone.stdout, (run.stdout, alone.stdout)
    if says:
        found = [f for p in report["processes"] for f in p["findings"]]
        judged(found, report["answer"])
        finding = found[0]
        judged(any(line.startswith(says) for line in finding["evidence"]), finding["evidence"])
        judged(finding["allocated_at"][0]["function"] in ("Node.__init__", "__init__"), finding)
    if verdict == "gc-lag":
        off = "gc.disable" in source
        judged(finding["endless"] == off, finding)
        judged(("Python's collector is switched off" in report["answer"]) == off, report["answer"])
        judged(report["answer"].startswith("No") != off, report["answer"])
        judged(("witch" in finding["remedy"]["text"]) == off, finding["remedy"])
        done = subprocess.run([TARE, "check", home / "run"], capture_output=True, text=True)
        judged(done.returncode == (1 if off else 0), done)
    if verdict == "gc-lag":  # the ring, and the line that closes it
        judged(any("a reference cycle: __main__.Node.me" in line for line in finding["evidence"]),
               finding["evidence"])
        judged((finding["stored_at"] or {}).get("text") == "self.me = self", finding["stored_at"])
        judged("weakref.proxy(self)" in finding["remedy"]["code"], finding["remedy"])


def tried(source, conclusion):
    """A second run in which every step collects."""
    program = tare.fresh("program.py")
    program.write_text(source)
    run = tare.traced([sys.executable, program], ["--try", "gc"])
    assert run.status == 0, run.err.decode()
    found = run.report()["tried"]
    judged((found["remedy"], found["conclusion"]) == ("gc", conclusion), found)


TRIED = {"try_gc_ends_a_lag": lambda: tried(BEGIN + "gc.disable()" + LOOP, "gone"),
         "try_gc_does_not_end_a_leak": lambda: tried(BEGIN + LOOP + "    kept.append(node)\n",
                                                     "still-there")}

tare.Cases().each({**{name: lambda case=case: check(*case) for name, case in CASES.items()}, **TRIED})
