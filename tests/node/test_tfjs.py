#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""TensorFlow.js on its cpu and wasm backends: which tensors are called a leak, by which line, and by
which clock. The first run installs the packages (tools/npm).

On cpu the data of a tensor are JavaScript's own: the collector takes what nobody uses, disposed or
not. On wasm they live until they are disposed.
"""
from node_case import clocks, environment, findings, judged, listed, node, root, script, tare
from tfjs_case import HEAD

NOTHING = ("clean", "gc-lag")  # no leak; what waits for the collector may be mentioned
FIRST = len(HEAD.splitlines()) + 1  # the line on which a program's own text begins


def run(text, backend, **more):
    here = listed("tfjs")
    done = tare.traced([node(), script(HEAD + text, place=here)], timeout=300,
                       env=environment(BACKEND=backend, **more))
    assert done.status == 0, done.err.decode()
    return done


def leaks(done):
    """{line: holder} of what is called retained; lines are counted in the program's own text."""
    judged(root(done)["verdict"] == "retained", (root(done)["answer"], findings(done)))
    return {line - FIRST + 1: holder for kind, line, holder in findings(done) if kind == "retained"}


def nothing(done):
    judged(root(done)["verdict"] in NOTHING, (root(done)["answer"], findings(done)))


ARRAY = """function fill() {
  const made = [];
  for (let i = 0; i < 300; i++) {
    made.push(tf.tensor1d(new Float32Array(1000)));
  }
}
async function work() { for (let i = 0; i < 200; i++) { fill(); await tf.nextFrame(); } }
"""


def local_array():
    """A local array of tensors, never disposed: only the count of tf.memory() grows, but on wasm."""
    done = run(ARRAY, "cpu")
    nothing(done)
    judged(any("tf.memory()" in note for note in root(done)["notes"]), root(done)["notes"])
    found = leaks(run(ARRAY, "wasm"))
    judged(found == {4: "the engine: never disposed"}, found)


def global_array():
    text = ARRAY.replace("const made = [];", "const made = globalThis.made = globalThis.made || [];")
    for backend in ("cpu", "wasm"):
        found = leaks(run(text, backend))
        judged(list(found) == [4], found)


def disposed():
    text = ARRAY.replace("function fill", "async function fill").replace(
        "    made.push", "    await 0; made.push").replace(
        "  }\n}\n", "  }\n  made.forEach((t) => t.dispose());\n}\n").replace("{ fill()", "{ await fill()")
    for backend in ("cpu", "wasm"):
        nothing(run(text, backend))


MODEL = """async function load(saved) {
  const model = await tf.loadLayersModel(tf.io.fromMemory(saved));
  const input = tf.ones([1, 32]);
  const result = model.predict(input);
  input.dispose();
  CLEAN
}
async function work() {
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [32], units: 1000 }));
  let saved;
  await model.save(tf.io.withSaveHandler(async (parts) => { saved = parts; return {}; }));
  model.dispose();
  for (let i = 0; i < 250; i++) await load(saved);
}
"""


def model():
    """The weights come after a wait: the line that loads them is to blame."""
    for backend in ("cpu", "wasm"):
        found = leaks(run(MODEL.replace("CLEAN", "result.dispose();"), backend))
        judged(list(found) == [2], found)


WAIT = """async function one() {
  const t = tf.tensor1d(new Float32Array(16384));
  await pause();
  AFTER
}
async function work() { for (let i = 0; i < 500; i++) await one(); }
"""


def used_across_a_wait():
    text = WAIT.replace("AFTER", "return t.add(1).shape;")
    nothing(run(text, "cpu"))
    judged(sorted(leaks(run(text, "wasm"))) == [2, 4])


TIDY = """async function one() {
  await pause();
  return tf.tidy(() => {
    const t = tf.tensor1d(new Float32Array(16384));
    return t.add(1);
  });
}
async function work() { for (let i = 0; i < 500; i++) { const r = await one(); AFTER } }
"""


def tidy():
    for backend in ("cpu", "wasm"):
        nothing(run(TIDY.replace("AFTER", "r.dispose();"), backend))
    nothing(run(TIDY.replace("AFTER", ""), "cpu"))
    judged(list(leaks(run(TIDY.replace("AFTER", ""), "wasm"))) == [5])


def tidy_that_throws():
    text = """function one() {
  try {
    tf.tidy(() => { tf.tensor1d(new Float32Array(16384)).add(1); throw new Error('mine'); });
  } catch { return 0; }
}
async function work() { for (let i = 0; i < 500; i++) { one(); await pause(); } }
"""
    for backend in ("cpu", "wasm"):
        nothing(run(text, backend))


TRAIN = """const logs = [];
async function work() {
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [16], units: 16 }));
  model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
  const xs = tf.randomNormal([320, 16]), ys = tf.randomNormal([320, 16]);
  await model.fit(xs, ys, { epochs: 12, batchSize: 16, verbose: 0 });
  console.log('done');
}
"""


def training():
    for backend in ("cpu", "wasm"):
        done = run(TRAIN, backend)
        assert clocks(done).get("backward") == 240, clocks(done)
        judged(root(done)["verdict"] in NOTHING + ("plateau",), root(done)["answer"])


DATASET = """function* rows() { for (let i = 0; i < 64; i++) yield new Float32Array(512); }
async function work() {
  const dataset = tf.data.generator(rows).batch(8);
  for (let pass = 0; pass < 40; pass++) {
    const iterator = await dataset.iterator();
    for (;;) {
      const item = await iterator.next();
      if (item.done) break;
      KEEP(item.value);
    }
  }
}
"""


def dataset():
    """What an iterator hands out is made in later turns: it belongs to the line that asked, and is a step."""
    done = run(DATASET.replace("KEEP", ""), "wasm")
    found = leaks(done)
    judged(found == {7: "the engine: never disposed"}, found)
    assert clocks(done).get("loader") == 360, clocks(done)
    nothing(run(DATASET.replace("KEEP", "tf.dispose"), "wasm"))


def same_words():
    """The adapter adds no frame to an error, and changes no number."""
    text = HEAD + """async function work() {
  try { tf.tensor1d([1, 2]).reshape([3]); } catch (e) { console.log(e.stack.split('\\n').length); }
  const x = tf.tensor2d([[1, 2], [3, 4]]);
  console.log(tf.memory().numTensors, x.matMul(x).dataSync().join(), Object.keys(tf.engine()).join());
}
"""
    here = listed("tfjs")
    tare.same([node(), script(text, place=here)], env=environment(BACKEND="cpu"), timeout=120,
              clean=lambda out: b"\n".join(l for l in out.splitlines() if b"Hi, looks" not in l))


tare.Cases().each({function.__name__: function for function in (
    local_array, global_array, disposed, model, used_across_a_wait, tidy, tidy_that_throws, training,
    dataset, same_words)})
