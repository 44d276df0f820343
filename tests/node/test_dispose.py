#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""`tare run --try dispose` with TensorFlow.js, and `--try gc` with Node: growth that comes from tensors
that were dropped ends, growth that the program itself keeps does not, and no number changes."""
from node_case import environment, judged, listed, node, script, tare
from tfjs_case import HEAD

LEAK = """async function one() {
  const t = tf.tensor1d(new Float32Array(16384));
  await pause();
  return t.add(1).shape;
}
async function work() { for (let i = 0; i < 1500; i++) await one(); console.log('done'); }
"""
KEPT = """const kept = [];
async function one() { kept.push(tf.tensor1d(new Float32Array(16384))); await pause(); }
async function work() { for (let i = 0; i < 800; i++) await one(); console.log('done'); }
"""
CLEAN = """async function work() {
  const made = tf.memory().numTensors;
  const w = tf.tidy(() => tf.variable(tf.ones([64, 64])));
  for (let i = 0; i < 1000; i++) {
    tf.tidy(() => w.assign(w.matMul(tf.eye(64)).mul(0.99)));
    await pause();
  }
  console.log(w.sum().dataSync()[0].toFixed(3), tf.memory().numTensors - made);
}
"""
# Everything that shares or outlives a handle, with collections in between.
SAFE = """const full = async () => { for (let i = 0; i < 600; i++) tf.ones([4096]); await pause(); };
const sum = (t) => t.sum().dataSync()[0];
async function work() {
  const shaped = tf.range(0, 16384).reshape([128, 128]);
  const copy = tf.range(0, 16384).clone();
  const part = tf.range(0, 16384).as2D(64, 256).clone().flatten();
  let kept;
  tf.tidy(() => { kept = tf.keep(tf.ones([1000])); });
  const v = tf.variable(tf.zeros([256]));
  await full();
  console.log(sum(shaped), sum(copy), sum(part), sum(kept));
  for (let i = 0; i < 50; i++) v.assign(v.add(1));
  await full();
  console.log('variable', sum(v));
  const grad = tf.grad((x) => x.reshape([32, 32]).square().sum());
  let g = 0;
  for (let i = 0; i < 40; i++) { g += sum(grad(tf.ones([1024]))); if (i % 10 === 0) await full(); }
  console.log('gradient', g);
  let read = 0;
  const x = tf.ones([512]);
  for (let i = 0; i < 200; i++) {
    const answer = x.add(i).data();
    if (i % 20 === 0) await full();
    read += (await answer)[511];
  }
  console.log('reads', read);
  const model = tf.sequential({ layers: [
    tf.layers.dense({ inputShape: [8], units: 16, kernelInitializer: 'ones' }),
    tf.layers.batchNormalization(), tf.layers.dense({ units: 1, kernelInitializer: 'ones' })] });
  model.compile({ optimizer: tf.train.adam(0.01), loss: 'meanSquaredError' });
  const xs = tf.linspace(0, 1, 512).reshape([64, 8]), ys = tf.linspace(0, 1, 64).reshape([64, 1]);
  const said = await model.fit(xs, ys, { epochs: 5, batchSize: 16, shuffle: false, verbose: 0,
    callbacks: { onEpochEnd: full } });
  console.log('fit', said.history.loss.map((l) => l.toFixed(6)).join(), sum(model.predict(xs)).toFixed(4));
  tf.dispose([shaped, copy, part, kept, v]);
  console.log('disposed', shaped.isDisposed, sum(xs).toFixed(4));
}
"""


def words(done):
    """What it prints, without TensorFlow.js's advertisement of its own package."""
    assert done.status == 0, done.err.decode()
    return [line for line in done.out.splitlines() if line.strip() and b"Hi, looks" not in line
            and not line.startswith(b"=")]


def tried(text, backend):
    done = tare.traced([node(), script(HEAD + text, place=listed("tfjs"))],
                       ["--try", "dispose"], timeout=200, env=environment(BACKEND=backend))
    return words(done), done.report()["tried"]


def stopped():
    """On wasm nothing but dispose frees a tensor: with it, what was found is gone."""
    _, found = tried(LEAK, "wasm")
    judged(found["conclusion"] == "gone", found)
    judged(found["before"]["verdict"] == "retained", found)
    judged(" tensors (" in found["returned"] and "were disposed" in found["returned"], found)


def held():
    """The program has them in an array: no collector can help, and the report says so."""
    _, found = tried(KEPT, "wasm")
    judged(found["conclusion"] == "still-there", found)
    judged("no tensor was dropped" in found["returned"], found)


def clean():
    said, found = tried(CLEAN, "wasm")
    assert len(said) == 2 and said[0] == said[1], said
    judged(found["conclusion"] == "nothing-to-remedy", found)


def same_numbers(backend):
    command = [node(), script(HEAD + SAFE, place=listed("tfjs"))]
    plain = words(tare.plain(command, env=environment(BACKEND=backend), timeout=120))
    with_it = words(tare.traced(command, env=environment(BACKEND=backend, TARE_TRY="dispose"),
                                timeout=120))
    assert plain and plain == with_it, (plain, with_it)


def no_wait():
    """A loop that never comes back to the event loop: what it drops is disposed all the same."""
    text = """async function work() {
  for (let i = 0; i < 2000; i++) tf.tensor1d(new Float32Array(16384)).add(i);
  console.log(tf.memory().numTensors < 1500);
}
"""
    done = tare.traced([node(), script(HEAD + text, place=listed("tfjs"))], timeout=120,
                       env=environment(BACKEND="wasm", TARE_TRY="dispose"))
    assert words(done) == [b"true"], words(done)


def collector():
    """`--try gc`: V8 collects while the program waits, though nothing calls for it."""
    text = """let gone = 0;
const seen = new FinalizationRegistry(() => gone++);
let turn = 0;
const timer = setInterval(() => {
  seen.register({}, 0);
  if (++turn === 40) { clearInterval(timer); console.log(gone > 10); }
}, 5);
"""
    command = [node(), script(text)]
    assert tare.traced(command, env=environment()).out == b"false\n"
    assert tare.traced(command, env=environment(TARE_TRY="gc")).out == b"true\n"


tare.Cases().each({
    "stopped": stopped, "held": held, "clean": clean, "no_wait": no_wait, "collector": collector,
    "same_numbers_cpu": lambda: same_numbers("cpu"), "same_numbers_wasm": lambda: same_numbers("wasm")})
