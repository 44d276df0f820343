#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""Native memory behind JavaScript: an add-on's own, and that of onnxruntime-node. Verdict, line and holder of
programs of the corpus, and that a method which is watched can be replaced as before.
"""
import subprocess

from node_case import environment, listed, node, script, tare

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
    assert not bad, bad
    assert len(told) == len(ROWS[framework]), done.stdout + done.stderr


def replaced():
    """A session's own method is its own, and nothing more is to be seen on the classes."""
    command = [node(), script(REPLACED, place=listed("onnx")), tare.ROOT / "corpus/onnx/shared/model.js"]
    plain = tare.plain(command, timeout=60, env=environment())
    traced = tare.traced(command, timeout=60, env=environment())
    assert (traced.status, traced.out) == (plain.status, plain.out) == (0, plain.out), (traced, plain)


tare.Cases().each({"addons": lambda: rows("node"), "onnxruntime": lambda: rows("onnx"), "replaced": replaced})
