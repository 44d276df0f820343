#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 240
"""How long a look at the heap of JavaScript stops a program: never for longer than --max-pause, 500 ms where
it serves; and without a snapshot the report says why there is none."""
import json

from node_case import environment, folder, judged, ledger, node, root, tare

# Makes a heap of so many objects, then a Map that grows; a server if wanted. At its end it prints the longest
# time between two turns that it did not work itself, in milliseconds.
PROGRAM = """
const [objects, serves] = process.argv.slice(2).map(Number);
const table = Array.from({ length: objects }, (_, i) => ({ i, name: 'row ' + i % 97, tail: [i] }));
if (serves) require('http').createServer((request, response) => response.end()).listen(0);
const cache = new Map();
let turn = 0, longest = 0, left = performance.now();
(function next() {
  longest = Math.max(longest, performance.now() - left);
  cache.set('k' + turn, { id: turn, rows: new Array(800).fill(turn) });
  left = performance.now();
  if (++turn < 900) return setTimeout(next, 3);
  console.log(JSON.stringify({ longest, table: table.length }));
  process.exit(0);
})();
"""
# The same in a worker of a cluster: its parent listens for it.
CLUSTER = """
const cluster = require('cluster');
if (cluster.isPrimary) {
  cluster.setupPrimary({ exec: __dirname + '/main.js', args: ['250000', '0'] });
  cluster.fork().on('exit', (code) => process.exit(code));
}
"""
TAKEN = 3      # INTERVENTION_SNAPSHOT
REFUSED = 8    # INTERVENTION_NO_SNAPSHOT


class Run:
    def __init__(self, *options, objects=0, serves=0, entry="main"):
        main = folder(main_js=PROGRAM, cluster_js=CLUSTER) / f"{entry}.js"
        self.done = tare.traced([node(), main, str(objects), str(serves)], options, env=environment(),
                                timeout=100)
        assert self.done.status == 0 and self.done.err == b"", (self.done.status, self.done.err)
        self.longest = json.loads(self.done.out)["longest"] if entry == "main" else None

    def leak(self, process=None):
        mine = process or root(self.done)
        found = [f for f in mine["findings"] if not f["note"] and f["kind"] == "retained"]
        judged(found, (mine["answer"], [f["summary"] for f in mine["findings"]]))
        return found[0]

    def files(self):
        return list(self.done.directory.glob("*.heapsnapshot"))


def is_not_taken(*options, says, **keywords):
    run = Run(*options, **keywords)
    assert run.files() == []
    found = run.leak()
    judged(found["holder_unsearched"] and says in found["holder_unsearched"], found["holder_unsearched"])
    judged(found["held_by"] == "objects of the JavaScript heap" and not found["holder_path"], found)
    text = " ".join(tare.plain([tare.TARE, "report", run.done.directory]).out.decode().split())
    judged("Held by objects of the JavaScript heap; not searched (" in text, text)
    return found, run


def forbidden():
    found, run = is_not_taken("--no-snapshot", says="--no-snapshot")
    judged(found["holder_unsearched_pause_ms"] is None and found["holder_unsearched_limit_ms"] is None, found)
    judged(run.longest < 150, run.longest)


def one_millisecond():
    found, run = is_not_taken("--max-pause", "1", says="a heap snapshot would pause the program for about ")
    judged("more than --max-pause 1 ms" in found["holder_unsearched"], found["holder_unsearched"])
    judged(found["holder_unsearched_pause_ms"] > 1 and found["holder_unsearched_limit_ms"] == 1, found)
    judged(run.longest < 150, run.longest)


def small_server():
    """Where processors are busy, it takes longer there, too."""
    run = Run(serves=1)
    found = run.leak()
    held = "cache (Map)" in (found["held_by"] or "") and len(run.files()) == 1
    judged(held or (found["holder_unsearched_pause_ms"] or 0) > 500, found)
    judged(run.longest <= 500, run.longest)


def large_server():
    found, run = is_not_taken(objects=500000, serves=1, says="more than --max-pause 500 ms")
    judged(found["holder_unsearched_limit_ms"] == 500 < found["holder_unsearched_pause_ms"], found)
    judged(run.longest <= 500, run.longest)


def middle_server():
    """Near the bound a snapshot may be begun and given up: also that takes no longer."""
    for objects in (60000, 100000, 150000):
        run = Run(objects=objects, serves=1)
        judged(run.longest <= 500, (objects, run.longest))
        assert len(run.files()) == (run.leak()["holder_unsearched"] is None), (objects, run.files())


def large_cluster():
    run = Run(entry="cluster")
    found = [f for p in run.done.report()["processes"] for f in p["findings"]
             if f["kind"] == "retained" and not f["note"]]
    judged(len(found) == 1 and found[0]["holder_unsearched_limit_ms"] == 500, found)


def whatever_it_takes():
    run = Run("--snapshot", objects=100000, serves=1)
    judged("cache (Map)" in (run.leak()["held_by"] or ""), run.leak())


def recorded():
    """What the ledger says of the pause is what the program has felt."""
    run = Run(objects=100000)
    [file] = tare.ledgers(run.done.directory)
    records = [r for r in ledger.Ledger(file).records("interventions") if r.kind in (TAKEN, REFUSED)]
    longest = max((r.pause_ns for r in records), default=0) / 1e6
    judged(abs(longest - run.longest) < 0.2 * run.longest + 30, (longest, run.longest))


tare.Cases().each({
    "no_snapshot": forbidden,
    "a_pause_of_one_millisecond": one_millisecond,
    "a_small_server": small_server,
    "servers_near_the_bound": middle_server,
    "a_large_server": large_server,
    "a_worker_of_a_cluster": large_cluster,
    "snapshot_takes_what_it_takes": whatever_it_takes,
    "the_pause_is_recorded": recorded,
})
