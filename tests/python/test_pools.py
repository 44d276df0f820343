#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""Libraries with an allocator of their own: their pools have a line in the account, and a name.

The first run makes build/venv-arrow, which takes a download.
"""
from python_case import environments, folder, judged, root, tare

KEEP = """
import time
import tare
IMPORT
kept = []
for turn in range(150):
    kept.append(MAKE)
    tare.step()
    time.sleep(0.005)
"""
CASES = {
    "pyarrow": ("import numpy, pyarrow", "pyarrow.array(numpy.random.rand(200000)).cast('float32')", 100),
    "polars": ("import polars", "polars.DataFrame({'a': polars.int_range(0, 200000, eager=True) * 2})",
               150),
}


def check(name, title):
    text = KEEP.replace("IMPORT", CASES[name][0]).replace("MAKE", CASES[name][1])
    run = tare.traced([environments.ready("arrow"), folder(keep=text) / "keep.py"], timeout=300)
    assert run.status == 0, run.err.decode()
    report = root(run)
    lines = {line["name"]: line["bytes"] for line in report["account"]["lines"]}
    judged(lines.get(title, 0) > CASES[name][2] * 2**20 / 2, lines)
    judged(abs(report["account"]["remainder"]) < 0.1 * report["account"]["resident"], report["account"])
    said = " ".join(report["notes"]) + " ".join(str(one["evidence"]) for one in report["findings"])
    judged(title in said, (report["notes"], report["findings"]))


tare.Cases().each({
    "pyarrows_pool_is_named": lambda: check("pyarrow", "pyarrow's memory pool"),
    "polars_pool_is_named": lambda: check("polars", "polars' memory pool")})
