#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""A script that never returns to its event loop: nothing ticks in it, and it is still measured and collected.
What it keeps is told with its line; what it drops, and what it bounds, is no leak."""
from node_case import environment, judged, root, script, tare, version

MS = 4000  # more slices of time than the first look needs
LOOP = """
function busy(n) { let sum = 0; for (let i = 0; i < 150000; i++) sum += i * n; return sum; }
let sum = 0;
const end = Date.now() + %d;
for (let n = 0; Date.now() < end; n++) { work(n); sum += busy(n); }
console.log(sum > 0);
"""
KEEPS = """const kept = [];
function work(n) {
  kept.push(Buffer.alloc(65536, n & 255));
}
"""
DROPS = """let last;
function work(n) {
  last = Buffer.alloc(65536, n & 255);
}
"""
RING = """const ring = [];
function work(n) {
  ring.push(Buffer.alloc(65536, n & 255));
  if (ring.length > 150) ring.shift();
}
"""
OBJECTS = """const table = [];
function work(n) {
  table.push({ n, cells: new Array(1000).fill(n) });
}
"""
GARBAGE = """let last;
function work(n) {
  last = { n, cells: new Array(1000).fill(n) };
}
"""


def run(text, number, ending="js", ms=MS):
    done = tare.traced([version(number), script(text + LOOP % ms, ending)], env=environment(), timeout=120)
    assert (done.status, done.out, done.err) == (0, b"true\n", b""), (done.out, done.err)
    mine = root(done)
    return mine, [f for f in mine["findings"] if not f["note"]]


def leaks(number, *ending):
    def case():
        mine, found = run(KEEPS, number, *ending)
        judged([f["kind"] for f in found] == ["retained"], (mine["answer"], found))
        judged(found[0]["allocated_at"][0]["line"] == 3, found[0]["allocated_at"])
        judged(mine["steps"]["clock"] == "time", mine["steps"])
    return case


def grows(number):
    """Whether it builds up or leaks cannot be told: it is not called clean, and the function is named."""
    def case():
        mine, found = run(OBJECTS, number)
        judged([f["kind"] for f in found] == ["undecided"], (mine["answer"], found))
        judged("JavaScript" in found[0]["summary"], found[0])
        makers = [place["function"] for place in found[0]["allocated_at"][:1]]
        # None: all was garbage by then. A function may be compiled into its caller.
        judged(makers in ([], ["work"], ["(anonymous)"]), makers)
        judged("no steps" in mine["answer"], mine["answer"])
    return case


def too_short():
    """Of a module, for which the event loop turns some times: those are no steps to judge by."""
    mine, found = run(KEEPS, "20", "mjs", 2200)
    judged([f["kind"] for f in found] in (["undecided"], ["retained"]), (mine["answer"], found))


def is_clean(text, number="20", *ending):
    def case():
        mine, found = run(text, number, *ending)
        judged(mine["verdict"] in ("clean", "plateau", "gc-lag") and not found, (mine["answer"], found))
    return case


tare.Cases().each({
    "buffers_20": leaks("20"), "buffers_24": leaks("24"),
    "module_20": leaks("20", "mjs"), "module_24": leaks("24", "mjs"), "short_module": too_short,
    "module_that_drops": is_clean(DROPS, "24", "mjs"),
    "objects_20": grows("20"), "objects_22": grows("22"),
    "dropped_buffers": is_clean(DROPS), "bounded_buffers": is_clean(RING),
    "garbage": is_clean(GARBAGE), "garbage_24": is_clean(GARBAGE, "24"),
})
