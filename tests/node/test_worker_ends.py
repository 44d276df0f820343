#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 180
"""A worker that ends before its process: what it kept until then is said, with its line, and is no leak of
the process; one that dropped all is not accused."""
from node_case import environment, judged, node, root, script, tare

PROGRAM = """const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) {
  new Worker(__filename).on('exit', (code) => console.log('worker', code));
  let turn = 0;
  const timer = setInterval(() => { if (++turn > 500) clearInterval(timer); }, 4);
} else {
  const kept = [];
  let turn = 0;
  const next = () => {
    WORK
    if (++turn < 250) setTimeout(next, 4);
    else END;
  };
  next();
}
"""
KEEPS, DROPS = "kept.push(Buffer.alloc(65536, 1));", "kept[0] = Buffer.alloc(65536, 1);"


def run(work, end="null"):
    done = tare.same([node(), script(PROGRAM.replace("WORK", work).replace("END", end))],
                     env=environment(), timeout=60)
    mine = root(done)
    said = [note for note in mine["notes"] if "worker thread ended" in note]
    return mine, [f for f in mine["findings"] if not f["note"]], said


def kept(end):
    def case():
        mine, found, said = run(KEEPS, end)
        judged(mine["verdict"] in ("clean", "plateau") and not found, mine["answer"])
        judged(len(said) == 1 and "main.js:10 in steps" in said[0], mine["notes"])
    return case


def dropped():
    """What waits for the worker's collector is not told apart from what is held: the note says so."""
    mine, found, said = run(DROPS)
    judged(mine["verdict"] in ("clean", "plateau", "gc-lag") and not found, mine["answer"])
    judged(all("if it held this memory" in note for note in said), said)


tare.Cases().each({"ends": kept("null"), "exits": kept("process.exit(3)"), "keeps_nothing": dropped})
