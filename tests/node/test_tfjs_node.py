#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""TensorFlow.js on TensorFlow itself (tfjs-node) and on wasm: the same tensors as the backend counts, and
the verdict, line, holder and remedy on programs of the corpus. tools/tfjs-node makes what is needed.
"""
import subprocess

from node_case import environment, findings, judged, ledger, listed, node, root, script, tare
from tfjs_versions import has_verdict

ROWS = ("batch_arrays_used", "model_predict", "timer_tensor", "tidy_async")  # 1b, 1e, 2a, 2f
COUNTED = """const tf = require('@tensorflow/tfjs-node');
async function main() {
  const kept = [];
  for (let i = 0; i < 100; i++) {
    const x = tf.ones([256, 1024]);
    kept.push(x.add(i));
    x.dispose();
    await tf.nextFrame();
  }
  for (let i = 0; i < 60; i++) kept.pop().dispose();
  for (let i = 0; i < 10; i++) tf.tensor1d([1, 2, 3]); // that no operation uses
  for (let i = 0; i < 50; i++) await tf.nextFrame();
  console.log(tf.memory().numTensors, tf.backend().binding.getNumOfTensors());
}
main();
"""


def counts():
    """Alive is what TensorFlow has: 40 tensors of 1 MB, and none of those that were never used."""
    here = listed("tfjs", "tfjs-node")
    done = tare.traced([node(), script(COUNTED, place=here)], timeout=300, env=environment())
    assert done.status == 0, done.err.decode()
    engine, truth = map(int, done.out.split())
    assert (engine, truth) == (50, 40), (engine, truth)
    told = ledger.Ledger(tare.ledgers(done.directory)[0])
    gauges = told.steps()[-1].gauges
    assert gauges[0] == truth, list(gauges)
    assert gauges[13] == engine - truth, list(gauges)
    pool = told.records("pools")
    if len(pool) and pool[0].reserved:  # where TensorFlow uses one
        assert (pool[0].blocks, pool[0].live) == (truth, truth << 20), (pool[0].blocks, pool[0].live)


def rows():
    """Four questions of docs/internals/tensorflow-js.md, on two backends."""
    listed("tfjs", "tfjs-node")
    names = [f"{row}@{backend}" for row in ROWS for backend in ("tensorflow", "wasm")]
    done = subprocess.run([tare.ROOT / "corpus/score", "--framework", "tfjs", "--runs", "1", "--tare",
                           tare.TARE, *names], capture_output=True, text=True, timeout=800, check=False)
    bad = [line for line in done.stdout.splitlines()
           if line.startswith(("MISSED", "WRONG", "FALSE")) or "no holder" in line]
    assert len([line for line in done.stdout.splitlines() if "@" in line]) == len(names), done.stderr
    assert "BROKEN" not in done.stdout, done.stdout
    judged(not bad, bad)


def remedy():
    """The names of the source, and the async tidy by its own."""
    here = listed("tfjs", "tfjs-node")
    text = """const tf = require('@tensorflow/tfjs-node');
console.error = () => {};
const pause = () => new Promise((done) => setTimeout(done, 2));
async function main() {
  for (let i = 0; i < 600; i++) {
    await tf.tidy(async () => {
      await pause();
      const scaled = tf.ones([64, 256]).add(1);
    });
  }
}
main();
"""
    done = tare.traced([node(), script(text, place=here)], timeout=300, env=environment())
    judged([(kind, line) for kind, line, _ in findings(done)] == [("retained", 8)], findings(done))
    judged(any("main.js:6)" in note for note in root(done)["notes"]), root(done)["notes"])
    said = root(done)["findings"][0]["remedy"]
    judged("not async" in said["text"], said)


tare.Cases().each({**{function.__name__: function for function in (counts, rows, remedy)},
                   **{f"node_{v}": has_verdict(v, leaks=True) for v in ("18", "22", "24")}})
