#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""The heap of JavaScript: what only grows in it is a leak with its holder and the line that stores; what
comes and goes, is bounded or stands still is none, and is never written down."""
import stat

from node_case import VERSIONS, environment, folder, judged, node, root, tare, version

LOOP = """
let turn = 0;
(function next() {
  work(turn);
  if (++turn < 900) setTimeout(next, 3);
  else if (globalThis.stop) process.exit(0);
})();
"""
CACHE = """const cache = new Map();
function work(i) {
  cache.set('k' + i, { id: i, rows: new Array(500).fill(i) });
}
""" + LOOP
LISTENERS = """const bus = new (require('events'))();
bus.setMaxListeners(0);
function work(i) {
  const rows = new Array(500).fill(i);
  bus.on('data', () => rows.length);
}
""" + LOOP
LOCAL = """function collector() {
  const seen = [];
  return (i) => {
    const rows = new Array(500).fill(i);
    seen.push({ i, rows });
  };
}
const work = collector();
""" + LOOP
MEMBER = """class Store {
  constructor() { this.byName = {}; }
  keep(name, value) {
    this.byName[name] = value;
  }
}
const store = new Store();
function work(i) {
  store.keep('n' + i, { i, rows: new Array(500).fill(i) });
}
""" + LOOP
TIMERS = """globalThis.stop = true;
function work(i) {
  const rows = new Array(500).fill(i);
  setInterval(() => rows.length, 1e7);
}
""" + LOOP
GLOBAL = """globalThis.journal = [];
function work(i) {
  journal.push(new Array(500).fill(i));
}
""" + LOOP
# What many requests share for their cancellation keeps each of them.
WAITS = """
async function main() {
  for (let i = 0; i < 900; i++) await work(i);
  process.exit(0);
}
main();
"""
TOKEN = """class CancelToken {
  constructor() { this.promise = new Promise((resolve) => { this.cancel = resolve; }); }
}
const token = new CancelToken();
function work(id) {
  const rows = new Array(400).fill(id);
  return new Promise((resolve) => {
    token.promise.then(() => resolve(rows));
    setTimeout(() => resolve(rows.length), 3);
  });
}
""" + WAITS
SIGNAL = """const { signal } = new AbortController();
require('events').setMaxListeners(0, signal);
function work(id) {
  const rows = new Array(400).fill(id);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(rows));
    setTimeout(() => resolve(rows.length), 3);
  });
}
""" + WAITS
RACE = """let stop;
const never = new Promise((resolve) => { stop = resolve; });
async function work(id) {
  const rows = new Array(400).fill(id);
  await Promise.race([never, new Promise((resolve) => setTimeout(resolve, 3, rows))]);
}
""" + WAITS
CLIENT = """class Session {
  constructor(id) { this.id = id; this.rows = new Array(400).fill(id); }
}
class Client {
  constructor() { this.sessions = new Map(); }
  open(id) {
    const session = new Session(id);
    this.sessions.set(id, session);
    return session;
  }
}
const client = new Client();
function work(i) {
  client.open(i);
}
""" + LOOP
WEAK = """const notes = new WeakMap();
function work(i) {
  const key = { i };
  notes.set(key, new Array(500).fill(i));
}
""" + LOOP
CHURN = """let sum = 0;
function work(i) {
  const rows = Array.from({ length: 300 }, (_, k) => ({ k, name: `row ${k} of ${i}`, tail: [k, i] }));
  sum += rows.length;
}
""" + LOOP
RECENT = """const recent = new Map();
function work(i) {
  recent.set('k' + i, { id: i, rows: new Array(500).fill(i) });
  if (recent.size > 60) recent.delete(recent.keys().next().value);
}
""" + LOOP
TABLE = """const table = new Map();
for (let i = 0; i < 15000; i++) table.set(i, { i, tail: [i, i + 1] });
let sum = 0;
function work(i) {
  sum += table.get(i % 15000).tail.map((x) => x + 1).length;
}
""" + LOOP
WARM = """const make = (k) => new Function('x', `return (x * ${k}) % ${k + 7};`);
const tasks = Array.from({ length: 200 }, (_, k) => make(k));
let sum = 0;
function work(i) {
  for (const task of tasks.slice(0, i / 4)) for (let k = 0; k < 10; k++) sum += task(k + i);
}
""" + LOOP
PART = CACHE + "setInterval(() => {}, 1e6).unref();\n"
IN_WORKER = "new (require('worker_threads').Worker)(__dirname + '/part.js');\n"
# Workers come and go; none of them keeps anything.
POOL = """const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) {
  let started = 0;
  const next = () => started++ < 30 && new Worker(__filename).on('exit', next);
  next();
  next();
} else {
  let turn = 0, sum = 0;
  (function next() {
    sum += Array.from({ length: 300 }, (_, k) => ({ k, name: `row ${k} of ${turn}`, tail: [k] })).length;
    if (++turn < 60) setTimeout(next, 1);
  })();
}
"""
# A table of the size of what grows, made before: the snapshot must not take the one for the other.
BESIDE = """const table = Array.from({ length: 1500 }, (_, i) => ({ i, rows: new Array(500).fill(i) }));
const log = [];
function work(i) {
  log.push({ i, rows: new Array(500).fill(table[i].i) });
}
""" + LOOP
FULL = """const rows = [];
(function next() {
  rows.push(new Array(4000).fill(0.5));
  setTimeout(next, 2);
})();
"""


def run(binary, text, *options, ending="js", arguments=(), status=0):
    main = folder(**{f"main_{ending}": text}) / f"main.{ending}"
    done = tare.traced([binary, *arguments, main], options, env=environment(), timeout=120)
    assert done.status == status, (done.status, done.err.decode())
    return done


def leak(done):
    mine = root(done)
    found = [f for f in mine["findings"] if not f["note"] and f["kind"] in ("retained", "unbounded-cache")]
    judged(found, (mine["answer"], mine["findings"]))
    return found[0]


def snapshots(done):
    return list(done.directory.glob("*.heapsnapshot"))


def is_held(text, line, *words, kind="retained", **keywords):
    def case():
        found = leak(run(node(), text, **keywords))
        judged(found["kind"] == kind, found)
        held = found["held_by"] or ""
        judged(all(word in held for word in words), held)
        stored = found["stored_at"]
        judged(stored and stored["line"] == line and stored["file"].endswith(("main.js", "main.mjs")), stored)
    return case


def is_held_by(text, words):
    def case():
        held = leak(run(node(), text))["held_by"] or ""
        judged(held.startswith(words), held)
    return case


def each_version(number):
    def case():
        found = leak(run(version(number), CACHE))
        judged("cache (Map) → value" in (found["held_by"] or ""), found["held_by"])
        judged((found["stored_at"] or {}).get("line") == 3, found["stored_at"])
        maker = found["allocated_at"][0]
        # Also where it was compiled into its caller.
        judged((maker["function"], maker["line"]) == ("work", 3), maker)
        rate = found["bytes_per_step"]["estimate"]
        judged(3600 <= rate <= 5200, rate)
    return case


def is_clean(text):
    def case():
        done = run(node(), text)
        judged(root(done)["verdict"] in ("clean", "plateau", "gc-lag"), root(done)["answer"])
        judged(snapshots(done) == [])
    return case


def is_announced():
    main, directory = folder(main_js=CACHE) / "main.js", tare.fresh()
    done = tare.plain([tare.TARE, "run", "--snapshot", "-o", directory, "--", node(), main],
                      env=environment())
    done.directory = directory
    assert b"the process is paused" in done.err, done.err
    assert any("paused the program for" in note for note in root(done)["notes"]), root(done)["notes"]
    [file] = snapshots(done)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, oct(file.stat().st_mode)


def is_only_observed():
    done = run(node(), CACHE, "--observe")
    assert snapshots(done) == []


def is_a_workers():
    main = folder(main_js=IN_WORKER, part_js=PART) / "main.js"
    done = tare.traced([node(), main], env=environment(), timeout=120)
    found = leak(done)
    judged("cache (Map)" in (found["held_by"] or ""), found)
    stored = found["stored_at"]
    judged(stored and stored["line"] == 3 and stored["file"].endswith("part.js"), found)
    assert root(done)["steps"]["count"] >= 800, root(done)["steps"]


def flags_stay():
    """To collect, the engine wants a flag: one that the program has set while it ran is not undone, and one
    that it has not set is not seen by it."""
    ends = "process.on('exit', () => console.log(require('vm').runInNewContext('typeof gc')));"
    flag = "require('v8').setFlagsFromString('--expose-gc');"
    for number in ("20", "24"):
        for text, says in ((flag + ends + CACHE, b"function\n"), (ends + CACHE, b"undefined\n")):
            main = folder(main_js=text) / "main.js"
            done = tare.traced([version(number), main], env=environment(), timeout=120)
            assert (done.out, done.err) == (says, b""), (number, done.out, done.err)


def is_full():
    done = run(node(), FULL, arguments=["--max-old-space-size=50"], status=134)
    found = leak(done)
    judged("rows (Array)" in (found["held_by"] or "") and (found["stored_at"] or {}).get("line") == 3, found)
    judged(any("heap was full" in note for note in root(done)["notes"]), root(done)["notes"])


CASES = {
    **{f"a_map_that_only_grows_in_node_{v}": each_version(v) for v in VERSIONS},
    "listeners": is_held(LISTENERS, 5, "bus (EventEmitter) 'data' listeners",
                         "closure in work (main.js:5)", "rows"),
    "a_variable_of_a_closure": is_held(LOCAL, 5, "local 'seen' of collector", "rows"),
    "an_object_used_as_a_table": is_held(MEMBER, 4, "store.byName"),
    "timers_never_cleared": is_held(TIMERS, 4, "timers that are waiting", "rows"),
    "a_global": is_held(GLOBAL, 3, "global.journal (Array)"),
    "an_es_module": is_held("import fs from 'fs';\n" + CACHE, 4, "cache (Map)", ending="mjs"),
    "a_cancel_token": is_held(TOKEN, 8, "token.promise (Promise) callbacks → closure", "rows"),
    "an_abort_signal": is_held(SIGNAL, 6, "signal (EventTarget) listeners → closure", "rows"),
    "a_race_that_one_never_ends": is_held_by(RACE, "never (Promise) callbacks"),
    "sessions_of_a_client": is_held(CLIENT, 8, "client.sessions (Map) → value Session"),
    "not_the_table_beside_it": is_held(BESIDE, 4, "log (Array)"),
    "a_cache_that_is_read": is_held(CACHE.replace("  cache.set(", "  cache.get('k' + i) || cache.set("), 3,
                                    "cache (Map)", kind="unbounded-cache"),
    "the_heap_of_a_worker": is_a_workers,
    "workers_that_come_and_go_are_none": is_clean(POOL),
    "churn_is_none": is_clean(CHURN),
    "a_weak_map_is_none": is_clean(WEAK),
    "a_bounded_map_is_none": is_clean(RECENT),
    "a_fixed_table_is_none": is_clean(TABLE),
    "a_compiler_that_warms_up_is_none": is_clean(WARM),
    "a_snapshot_is_announced": is_announced,
    "nothing_is_written_when_only_observed": is_only_observed,
    "a_heap_that_is_full": is_full,
    "flags_of_the_program_stay": flags_stay,
}

tare.Cases().each(CASES)
