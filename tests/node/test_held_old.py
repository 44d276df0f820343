#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""Where a trimmed container holds the latest objects and another holds all, the latter is named."""
from node_case import folder, judged, node, root, tare

TURNS = """
let turn = 0;
const timer = setInterval(() => {
  work(turn++);
  if (turn >= 900) clearInterval(timer);
}, 2);
"""
CASES = {  # name: program; the holder
    "map_and_deep_list": ("""
const recent = new Map();
const app = { services: { audit: { books: { entries: [] } } } };
function work(number) {
  const reply = { number, body: Buffer.alloc(16000, number % 256) };
  recent.set(number, reply);
  if (recent.size > 60) recent.delete(recent.keys().next().value);
  app.services.audit.books.entries.push(reply);
}
""", "app.services.audit.books.entries (Array)"),
    "window_and_chain": ("""
const window = [];
const chains = { first: { head: null, length: 0 } };
function work(number) {
  const row = { number, cells: Array.from({ length: 400 }, (_, k) => 'cell ' + number + ':' + k) };
  window.push(row);
  if (window.length > 60) window.shift();
  chains.first.head = { row, next: chains.first.head };
}
""", "chains.first.head"),
    "set_and_closures": ("""
const inFlight = new Set();
const registry = { handlers: { byName: {} } };
function work(number) {
  const data = new Uint8Array(24000).fill(number % 256);
  inFlight.add(data);
  if (inFlight.size > 60) inFlight.delete(inFlight.values().next().value);
  registry.handlers.byName['request ' + number] = () => data.length;
}
""", "registry.handlers.byName"),
    "ring_and_field": ("""
class Recorder {
  constructor() { this.recent = new Array(40).fill(null); this.at = 0; this.sessions = { all: [] }; }
  add(one) { this.recent[this.at++ % 40] = one; this.sessions.all.push(one); }
}
const recorder = new Recorder();
function work(number) {
  recorder.add({ number, values: Array.from({ length: 500 }, (_, k) => ({ k, v: k * number })) });
}
""", "recorder.sessions.all (Array)"),
}


def check(name):
    text, holder = CASES[name]
    run = tare.traced([node(), folder(program_cjs=text + TURNS) / "program.cjs"])
    assert run.status == 0 and run.err == b"", run.err.decode()
    leaks = [f for f in root(run)["findings"]
             if f["kind"] in ("retained", "unbounded-cache") and not f["note"]]
    judged(leaks, root(run)["findings"])
    judged((leaks[0]["held_by"] or "").startswith(holder), leaks[0]["held_by"])


tare.Cases().each({name: lambda name=name: check(name) for name in CASES})
