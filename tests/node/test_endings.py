#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""However a leaking program ends, its status and output are its own, and the report has what leaked."""
import re

from node_case import environment, folder, judged, node, root, tare

BUFFERS = """const kept = [];
let turn = 0;
setInterval(() => {
  kept.push(Buffer.alloc(40000, 1));
  if (++turn === 400) finish();
}, 1);
"""
OBJECTS = """const table = new Map();
let turn = 0;
setInterval(() => {
  table.set(`row ${turn}`, new Array(3000).fill(turn));
  if (++turn === 500) finish();
}, 2);
"""
ENDINGS = {
    "killed": ("process.kill(process.pid, 'SIGKILL');", 137),
    "terminated": ("process.kill(process.pid, 'SIGTERM');", 143),
    "exit": ("process.exit(7);", 7),
    "exit_within_exit": ("process.on('exit', () => process.exit(8)); process.exit(0);", 8),
    "uncaught": ("throw new Error('mine');", 1),
    "rejected": ("Promise.reject(new TypeError('late'));", 1),
    "aborted": ("process.abort();", 134),
}
FULL = """const rows = [];
setInterval(() => {
  for (let i = 0; i < 8; i++) rows.push({ i, cells: new Array(1000).fill(0.5) });
}, 2);
"""
PLACES = re.compile(rb"(?m)^.*(0x[0-9a-f]+|/files-|Core was generated).*$")


def findings(run, *kinds):
    mine = root(run)
    found = [f for f in mine["findings"] if not f["note"] and f["kind"] in kinds]
    judged(found, (mine["verdict"], mine["answer"], mine["notes"]))
    return found[0]


def buffers(ending):
    def case():
        text, status = ENDINGS[ending]
        here = folder(main_js=f"{BUFFERS}function finish() {{ {text} }}\n")
        run = tare.same([node(), here / "main.js"], env=environment(),
                        clean=lambda said: PLACES.sub(b"", said))
        assert run.status == status, run.status
        found = findings(run, "retained")
        judged(found["allocated_at"][0]["line"] == 4, found["allocated_at"])
        judged(36000 <= found["bytes_per_step"]["estimate"] <= 44000, found["bytes_per_step"])
    return case


def objects(ending):
    def case():
        text, status = ENDINGS[ending]
        here = folder(main_js=f"{OBJECTS}function finish() {{ {text} }}\n")
        run = tare.traced([node(), here / "main.js"], env=environment())
        assert run.status == status, run.status
        found = findings(run, "retained", "unbounded-cache")
        judged("table (Map)" in (found["held_by"] or ""), found)
        judged((found["stored_at"] or {}).get("line") == 4, found["stored_at"])
    return case


def full():
    """V8 gives up: what it says is its own, and the report says what filled its heap."""
    here = folder(main_js=FULL)
    run = tare.traced([node(), "--max-old-space-size=64", here / "main.js"], env=environment())
    assert run.status == 134 and b"JavaScript heap out of memory" in run.err, (run.status, run.err)
    found = findings(run, "retained")
    judged("rows (Array)" in (found["held_by"] or "") and (found["stored_at"] or {}).get("line") == 3, found)
    judged(any("heap was full" in note for note in root(run)["notes"]), root(run)["notes"])
    judged(root(run)["forecast"] is None, root(run)["forecast"])
    judged("Out of memory in" not in root(run)["answer"], root(run)["answer"])


def full_at_once():
    """Without a turn of the event loop nothing can be asked; the report still says how it ended."""
    here = folder(main_js="const rows = [];\nfor (;;) rows.push(new Array(1000).fill(0.5));\n")
    run = tare.traced([node(), "--max-old-space-size=64", here / "main.js"], env=environment())
    assert run.status == 134 and b"JavaScript heap out of memory" in run.err, (run.status, run.err)
    assert root(run)["seconds"] > 0


tare.Cases().each({
    **{f"buffers_{ending}": buffers(ending) for ending in ENDINGS},
    **{f"objects_{ending}": objects(ending) for ending in ("killed", "exit", "uncaught")},
    "a_full_heap": full, "a_heap_that_is_full_at_once": full_at_once,
})
