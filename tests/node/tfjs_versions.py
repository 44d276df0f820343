"""tfjs-node on each version of Node: the same program says the same, and gets the same verdict and line."""
import re

from node_case import environment, findings, judged, listed, root, script, tare, version

COMPAT = tare.ROOT / "corpus/tfjs/shared/compat.cjs"  # what Node 23 has removed; for programs, not for us
# Each step makes two tensors and an operation's result; one of them is never disposed, or all are.
PROGRAM = """const tf = require('@tensorflow/tfjs-node');
async function step(values, i) {
  const input = tf.tensor2d(values, [64, 256]);
  const scaled = input.mul(i);
  const sum = scaled.sum();
  const read = (await sum.data())[0];
  sum.dispose();
  input.dispose();
  %s
  return read;
}
async function main() {
  const values = new Float32Array(64 * 256).fill(1);
  let total = 0;
  for (let i = 0; i < %d; i++) total += await step(values, i);
  console.log(total, tf.memory().numTensors, tf.backend().binding.getNumOfTensors());
}
main();
"""
NUMBERED = re.compile(rb"\(node:\d+\)|[IW]0000 00:00:[\d.]+ +\d+")  # before lines of Node and of TensorFlow


def has_verdict(number, leaks, steps=400):
    """Warnings of Node's own are the same, too."""
    def case():
        here = listed("tfjs", "tfjs-node")
        text = PROGRAM % ("" if leaks else "scaled.dispose();", steps)
        main = script(text, place=here)
        done = tare.same([version(number), "--require", COMPAT, main], env=environment(), timeout=300,
                         clean=lambda said: NUMBERED.sub(b"", said))
        alive = steps if leaks else 0
        assert done.status == 0, done.err.decode()
        assert list(map(int, done.out.split())) == [16384 * steps * (steps - 1) // 2, alive, alive], done.out
        mine = root(done)
        if leaks:
            judged(findings(done) == [("retained", 4, "the engine: never disposed")], mine["findings"])
            rate = mine["findings"][0]["bytes_per_step"]["estimate"]
            judged(60000 <= rate <= 72000, rate)
        else:
            judged(mine["verdict"] in ("clean", "plateau", "gc-lag") and findings(done) == [], mine["answer"])
    return case
