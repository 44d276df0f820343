#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 200
"""A real run: the line that stores, who holds, what to change; bounds and caches by their kind."""
import json
import os
import sys
from pathlib import Path

import python_case
import tare
from tare import judged

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))
import schema  # noqa: E402

LOOP = """
for turn in range(200):
    data = bytearray(30000 + turn)
    %s
    tare.step()
"""
CASES = {  # name: text before the loop, in the loop; verdict, store line's text, holder, remedy
    "list": ("kept = []", "kept.append(data)", "retained", "kept.append(data)", "__main__.kept[…]",
             "del kept[:-"),
    "attribute": ("class Box:\n    rows = []\n    def add(self, row):\n        self.rows.append(row)\n"
                  "box = Box()", "box.add(data)", "retained", "self.rows.append(row)", "Box.rows[…]",
                  "del self.rows[:-"),
    "mapping": ("table = {}", "table[turn] = data", "retained", "table[turn] = data", "__main__.table[…]",
                "while len(table) > "),
    "default": ("def keep(row, seen=[]):\n    seen.append(row)", "keep(data)", "retained",
                "seen.append(row)", "default argument 'seen' of keep()",
                "def keep(row, seen=None):\n    if seen is None:\n        seen = []"),
    "closure": ("def maker():\n    rows = []\n    def add(row):\n        rows.append(row)\n    return add\n"
                "add = maker()", "add(data)", "retained", "rows.append(row)",
                "closure variable 'rows' of add", "del rows[:-"),
    "cache": ("import functools\n@functools.lru_cache(maxsize=None)\ndef make(n):\n"
              "    return bytearray(30000)", "make(turn)", "unbounded-cache",
              "@functools.lru_cache(maxsize=None)", "the cache of functools.lru_cache on make (maxsize=None)",
              "@functools.lru_cache(maxsize="),
    "bounded": ("import collections\nkept = collections.deque(maxlen=5000)", "kept.append(data)", "plateau",
                "kept.append(data)", "__main__.kept[…]", None),
}


def program(name):
    before, inside = CASES[name][:2]
    return python_case.folder(program="import tare\n" + before + "\n" + LOOP % inside) / "program.py"


def check(name):
    verdict, text, holder, fix = CASES[name][2:]
    run = tare.traced([sys.executable, program(name)])
    assert run.status == 0, run.err.decode()
    report = run.report()
    document = json.loads((tare.ROOT / "docs" / "report.schema.json").read_text())
    assert schema.errors(report, document, document) == []
    finding = python_case.root(run)["findings"][0]
    judged(finding["kind"] == report["verdict"] == verdict, (report["verdict"], finding))
    judged(finding["stored_at"] and (finding["stored_at"] or {}).get("text") == text, finding)
    judged(holder in (finding["held_by"] or "") and finding["holder_path"], finding["held_by"])
    judged((finding["remedy"]["code"] or "").startswith(fix or ""), finding["remedy"])
    return run, finding


def bounded():
    _, finding = check("bounded")
    judged(finding["summary"].startswith("Will stop at maxlen=5000: about "), finding["summary"])
    judged(not finding["evicted_nothing"] and finding["remedy"]["code"] is None, finding)


def cache():
    _, finding = check("cache")
    judged(any("no size limit; 0 of " in line for line in finding["evidence"]), finding["evidence"])


def elsewhere():
    """The same ledger where the source is gone: no store line, and the rest as before."""
    run, before = check("list")
    os.remove(before["stored_at"]["file"])
    after = python_case.root(run)["findings"][0]
    judged(after["stored_at"] is None and after["held_by"] == before["held_by"], after)


tare.Cases().each({**{name: lambda name=name: check(name) for name in CASES
                      if name not in ("bounded", "cache")},
                   "bounded": bounded, "cache": cache, "elsewhere": elsewhere})
