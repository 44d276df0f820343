#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""Native memory of Node has the JavaScript line that made it, in every version; what is garbage is
not called a leak, and what is held is."""
from node_case import (VERSIONS, environment, findings, folder, judged, node, root, script, steps, tare,
                       version)

HELD = """
const held = [];
function keep(size) {
  held.push(MAKE);
}
let turn = 0;
(function next() {
  keep(20000);
  if (++turn < 500) setTimeout(next, 3);
})();
"""
MAKERS = {
    "buffer": "Buffer.alloc(size)",
    "unsafe_buffer": "Buffer.allocUnsafe(size)",
    "typed_array": "new Float64Array(size / 8)",
    "array_buffer": "new ArrayBuffer(size)",
    "shared_buffer": "new SharedArrayBuffer(size)",
    "slice": "new Uint8Array(size).slice()",
    "clone": "structuredClone(new Uint8Array(size))",
}
DROPPED = HELD.replace("held.push(MAKE);", "held[0] = MAKE;")


def run(binary, text, **keywords):
    done = tare.traced([binary, script(text, **keywords)], env=environment(), timeout=120)
    assert done.status == 0 and done.err == b"", done.err.decode()
    return done


def is_held(done, line, kinds=("retained",)):
    leaks = [f for f in findings(done) if f[0] in kinds]
    judged(leaks and leaks[0][1] == line, (findings(done), root(done)["answer"]))


def each_version(number):
    def case():
        done = run(version(number), HELD.replace("MAKE", MAKERS["buffer"]))
        is_held(done, 4)
        assert steps(done)[0] == "turn" and 495 <= steps(done)[1] <= 505, steps(done)
    return case


def each_maker(name):
    def case():
        is_held(run(node(), HELD.replace("MAKE", MAKERS[name])), 4)
    return case


def garbage():
    for name in ("buffer", "typed_array"):
        done = run(node(), DROPPED.replace("MAKE", MAKERS[name]))
        judged(root(done)["verdict"] in ("clean", "gc-lag"), (root(done)["answer"], findings(done)))


def es_module():
    """A module is named by a URL; its path may hold what a URL cannot."""
    text = HELD.replace("MAKE", MAKERS["buffer"])
    path = folder() / "with blank é.mjs"
    path.write_text(text)
    done = tare.traced([node(), path], env=environment(), timeout=120)
    is_held(done, 4)
    place = root(done)["findings"][0]["allocated_at"][0]
    judged(place["file"] == str(path) and place["function"] == "keep", place)


def library():
    """A package's frames are passed over."""
    path = script("const { make } = require('maker');\nconst held = [];\nlet turn = 0;\n(function next() {\n"
                  "  held.push(make());\n  if (++turn < 400) setTimeout(next, 3);\n})();\n")
    place = path.parent / "node_modules/maker"
    place.mkdir(parents=True)
    (place / "index.js").write_text("exports.make = () => {\n  return Buffer.alloc(20000);\n};\n")
    is_held(tare.traced([node(), path], env=environment(), timeout=120), 5)


def optimized():
    """Lines stay right when the function has been compiled, and inlined into another."""
    text = """
function inner(n) {
  return new Uint8Array(n);
}
function outer(n) { let s = 0; for (let i = 0; i < 50; i++) s += inner(n).length; return s; }
const held = [];
let turn = 0;
(function next() {
  for (let i = 0; i < 20; i++) outer(16);
  held.push(inner(30000));
  if (++turn < 400) setTimeout(next, 3);
})();
"""
    is_held(run(node(), text), 3)


def storm(number):
    """Allocation, collections, workers and stacks at once: no crash, no difference."""
    def case():
        text = """
const { Worker, isMainThread, parentPort } = require('worker_threads');
function churn(rounds) {
  let kept = [], sum = 0;
  for (let i = 0; i < rounds; i++) {
    kept.push(new Float64Array(200 + (i * 7919) % 5000), { text: 'x'.repeat(i % 300) });
    if (i % 97 === 0) kept = kept.slice(-20);
    if (i % 31 === 0) sum += structuredClone(new Uint8Array(5000)).length;
  }
  return sum + kept.length;
}
if (isMainThread) {
  let left = 3;
  for (let i = 0; i < 3; i++) {
    new Worker(__filename).on('message', (m) => console.log(m))
      .on('exit', (code) => { if (--left === 0) console.log('all', code); });
  }
  for (let i = 0; i < 20; i++) setTimeout(() => churn(2000), i * 10);
} else {
  for (let i = 0; i < 10; i++) churn(2000);
  parentPort.postMessage(churn(3000));
}
"""
        tare.same([version(number), "--max-semi-space-size=1", script(text)],
                  options=["--rate", "4K"], env=environment(), timeout=200)
    return case


CASES = {f"node_{number}": each_version(number) for number in VERSIONS}
CASES.update({name: each_maker(name) for name in MAKERS})
CASES.update({function.__name__: function for function in (garbage, es_module, library, optimized)})
CASES.update({f"storm_{number}": storm(number) for number in VERSIONS})
tare.Cases().each(CASES)
