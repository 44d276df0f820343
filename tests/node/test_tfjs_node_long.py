#!/usr/bin/env python3
# measured: yes
# suite: long
# limit: 3600
"""tfjs-node on Node 18, 20, 22 and 24: a program that leaks and one that does not, and rows of the corpus."""
import subprocess

from node_case import VERSIONS, judged, listed, tare, version
from tfjs_versions import has_verdict

ROWS = ("batch_arrays", "batch_arrays_used", "model_predict", "model_predict_disposed", "timer_tensor",
        "timer_tensor_used", "tidy_result", "tidy_result_dropped", "tidy_async")


def rows(number):
    def case():
        listed("tfjs", "tfjs-node")
        names = [f"{row}@tensorflow" for row in ROWS]
        done = subprocess.run([tare.ROOT / "corpus/score", "--framework", "tfjs", "--runs", "1", "--tare",
                               tare.TARE, "--node", version(number), *names], capture_output=True,
                              text=True, timeout=1200, check=False)
        lines = [line for line in done.stdout.splitlines() if "@" in line]
        bad = [line for line in lines if line.startswith(("MISSED", "WRONG", "FALSE")) or "no holder" in line]
        assert len(lines) == len(names), done.stdout + done.stderr
        assert "BROKEN" not in done.stdout, done.stdout
        judged(not bad, bad)
    return case


tare.Cases().each({
    **{f"leaks_{v}": has_verdict(v, leaks=True) for v in VERSIONS},
    **{f"clean_{v}": has_verdict(v, leaks=False) for v in VERSIONS},
    **{f"rows_{v}": rows(v) for v in VERSIONS},
})
