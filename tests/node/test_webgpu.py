#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""TensorFlow.js on WebGPU, on a driver in software: the same tensors and bytes as the backend counts, the
line and holder of what is never disposed, no leak where only the count grows, a pool of buffers that are
never used again, and the same words with and without. tools/webgpu makes what is needed.
"""
from node_case import environment, findings, judged, ledger, listed, node, root, script, tare

DEVICE_USED, DEVICE_TAKEN = 14, 15  # gauges.def
HEAD = """const { create, globals } = require('webgpu');
Object.assign(globalThis, globals);
const value = { gpu: create(['backend=vulkan']) };
Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
const tf = require('@tensorflow/tfjs');
require('@tensorflow/tfjs-backend-webgpu');
const pause = () => new Promise((done) => setTimeout(done, 2));
async function main() { await tf.setBackend('webgpu'); await work(); }
main();
"""
FIRST = len(HEAD.splitlines()) + 1  # the line on which a program's own text begins
LEAKS = ("retained", "native", "unbounded-cache")


def prepared(text):
    """The command, and the environment in which a driver is found."""
    here = listed("webgpu", "webgpu")
    driver = here / "swiftshader/vk_swiftshader_icd.json"
    return [node(), script(HEAD + text, place=here)], environment(VK_ICD_FILENAMES=str(driver))


def run(text):
    command, variables = prepared(text)
    done = tare.traced(command, timeout=200, env=variables)
    assert done.status == 0, done.err.decode()
    return done


def leaks(done):
    """{line: (kind, holder)}; lines are counted in the program's own text."""
    return {line - FIRST + 1: (kind, holder) for kind, line, holder in findings(done) if kind in LEAKS}


def counts():
    """Forty tensors of 256 KB that operations made, and ten that none has used."""
    done = run("""async function work() {
  const kept = [];
  for (let i = 0; i < 100; i++) {
    const x = tf.ones([64, 1024]);
    kept.push(x.add(i));
    x.dispose();
    await pause();
  }
  for (let i = 0; i < 60; i++) kept.pop().dispose();
  for (let i = 0; i < 10; i++) tf.tensor1d([1, 2, 3]);
  await kept[0].data();
  await pause();
  tf.tensor1d([1]).dispose();
  const { numTensors, numBytesInGPU, numBytesAllocatedInGPU } = tf.memory();
  console.log(numTensors, numBytesInGPU, numBytesAllocatedInGPU);
}
""")
    tensors, used, taken = map(int, done.out.split()[-3:])
    read = ledger.Ledger(tare.ledgers(done.directory)[0])
    gauges, device = read.steps()[-1].gauges, read.records("devices")[0]
    assert tensors == 50, tensors
    assert (gauges[0], gauges[13]) == (40, 10), list(gauges)
    assert gauges[1] == 40 << 18, list(gauges)
    assert (gauges[DEVICE_USED], gauges[DEVICE_TAKEN]) == (used, taken), (list(gauges), used, taken)
    assert (device.used, device.taken) == (used, taken), (device.used, device.taken)


def never_disposed():
    """The tensor by the line that made it, though the device gets it at the next; both stay."""
    done = run("""async function one(values) {
  const input = tf.tensor1d(values);
  const sum = input.add(1);
  await pause();
  return sum.shape;
}
async function work() {
  const values = new Float32Array(4096);
  for (let i = 0; i < 250; i++) await one(values);
}
""")
    never = ("retained", "the engine: never disposed")
    judged(leaks(done) == {2: never, 3: never}, (root(done)["answer"], findings(done)))


def never_used():
    """Only the count of tf.memory() grows."""
    done = run("""async function work() {
  for (let i = 0; i < 250; i++) { tf.tensor1d(new Float32Array(4096)); await pause(); }
}
""")
    judged(not leaks(done), (root(done)["answer"], findings(done)))
    judged(any("its backend has 0" in note for note in root(done)["notes"]), root(done)["notes"])


SHAPES = """async function work() {
  for (let i = 1; i <= 250; i++) {
    tf.tidy(() => { tf.ones([ROWS, 64]).mul(2); });
    await pause();
  }
}
"""


def ever_new_sizes():
    done = run(SHAPES.replace("ROWS", "i"))
    found = leaks(done)
    judged(list(found) == [3] and found[3][0] == "unbounded-cache", (root(done)["answer"], findings(done)))
    judged("pool of free buffers" in found[3][1], found)


def sizes_that_come_again():
    judged(not leaks(run(SHAPES.replace("ROWS", "1 + i % 40"))))


def same_words():
    """Numbers, counts and errors are the same with and without."""
    command, variables = prepared("""async function work() {
  const x = tf.tensor2d(new Float32Array(4096).fill(2), [64, 64]);
  const product = x.matMul(x);
  console.log((await product.data()).slice(0, 3).join(), tf.memory().numTensors);
  try { product.reshape([3]); } catch (error) { console.log(error.message, error.stack.split('\\n').length); }
  try { product.dataSync; x.dispose(); x.add(1); } catch (error) { console.log(error.message); }
  console.log(Object.keys(tf.backend()).join(), Object.keys(tf.backend().bufferManager).join());
}
""")
    tare.same(command, env=variables, timeout=120,
              clean=lambda out: b"\n".join(line for line in out.splitlines() if b"Hi, looks" not in line))


tare.Cases().each({function.__name__: function for function in (
    counts, never_disposed, never_used, ever_new_sizes, sizes_that_come_again, same_words)})
