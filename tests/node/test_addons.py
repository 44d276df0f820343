#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""Native memory behind JavaScript: an add-on's own, and that of onnxruntime-node. Verdict, line and holder of
programs of the corpus, and that a method which is watched can be replaced as before.
"""
import subprocess

from node_case import VERSIONS, environment, judged, listed, node, script, tare, version

ROWS = {
    "node": ("frame_means", "frame_album", "frame_handles", "frame_listeners", "slow_sink"),
    "onnx": ("request_sessions", "tenant_sessions"),
}
REPLACED = """const ort = require('onnxruntime-node');
const file = require(process.argv[2])(16);
async function main() {
  const [own, other] = [await ort.InferenceSession.create(file), await ort.InferenceSession.create(file)];
  const features = new ort.Tensor('float32', new Float32Array(16).fill(1), [1, 16]);
  own.run = async () => 'replaced';
  console.log(await own.run(), Object.keys(own), (await other.run({ features })).scores.dims);
  console.log(Object.keys(ort.InferenceSession), Object.keys(Object.getPrototypeOf(other)));
}
main();
"""


# A file that is no library, and a function that is called as nobody should: what is thrown, and from where.
REFUSED = """function attempt(work) {
  try { work(); } catch (error) { console.log(error.code, error.stack); }
}
function load() { require('./broken.node'); }
attempt(load);
attempt(() => process.dlopen());
attempt(() => process.dlopen({ exports: {} }, 7));
attempt(() => process.dlopen.call(null, { exports: {} }, require('path').join(__dirname, 'missing.node')));
console.log(String(process.dlopen), process.dlopen.name, process.dlopen.length);
console.log(Object.getOwnPropertyDescriptor(process, 'dlopen'), Object.keys(process));
load();
"""


def rows(framework):
    node()
    if framework != "node":
        listed(framework)
    done = subprocess.run([tare.ROOT / "corpus/score", "--framework", framework, "--runs", "1", "--tare",
                           tare.TARE, *ROWS[framework]], capture_output=True, text=True, timeout=250,
                          check=False)
    told = [line for line in done.stdout.splitlines() if line.startswith(("found", "right"))]
    bad = [line for line in done.stdout.splitlines()
           if line.startswith(("MISSED", "WRONG", "FALSE")) or "no holder" in line or "no store" in line]
    assert "BROKEN" not in done.stdout, done.stdout
    judged(not bad, bad)
    assert len(told) == len(ROWS[framework]), done.stdout + done.stderr


def refused(number):
    """What an add-on that cannot be loaded throws has the stack that it has without us."""
    def case():
        main = script(REFUSED)
        (main.parent / "broken.node").write_text("no library")
        done = tare.same([version(number), main], env=environment())
        assert done.status == 1 and b"broken.node" in done.err, done.err
    return case


def replaced():
    """A session's own method is its own, and nothing more is to be seen on the classes."""
    command = [node(), script(REPLACED, place=listed("onnx")), tare.ROOT / "corpus/onnx/shared/model.js"]
    plain = tare.plain(command, timeout=60, env=environment())
    traced = tare.traced(command, timeout=60, env=environment())
    assert (traced.status, traced.out) == (plain.status, plain.out) == (0, plain.out), (traced, plain)


tare.Cases().each({"addons": lambda: rows("node"), "onnxruntime": lambda: rows("onnx"), "replaced": replaced,
                   **{f"refused_{v}": refused(v) for v in VERSIONS}})
