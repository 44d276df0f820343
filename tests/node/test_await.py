#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""A library that allocates behind a wait: the line of the user's that awaits it is named, in every version
of Node; callers of the same function are told apart; and being asked so often does no harm."""
from node_case import VERSIONS, environment, findings, folder, judged, node, root, tare, version

LIBRARY = """const wait = () => new Promise((done) => setTimeout(done, 1));
async function read(size) { await wait(); return Buffer.alloc(size, 1); }
exports.fetch = async function (size) { await wait(); const body = await read(size); return { body }; };
"""
KEEP = """const lib = require('lib');
const kept = [];
async function load(n) {
  const answer = await lib.fetch(40000 + n % 7);
  kept.push(answer);
}
async function look(n) {
  const answer = await lib.fetch(40000 + n % 7);
  return answer.body.length;
}
async function main() {
  for (let i = 0; i < 200; i++) { await load(i); await look(i); }
  console.log('done');
}
main();
"""
# Collections, workers and many waits at once.
STORM = """const { Worker, isMainThread } = require('worker_threads');
const lib = require('lib');
async function one(n) {
  let sum = 0;
  for (let i = 0; i < 60; i++) sum += (await lib.fetch(n + i * 997)).body.length;
  return sum;
}
async function main() {
  const sums = await Promise.all(Array.from({ length: 40 }, (_, n) => one(n * 10)));
  const junk = []; for (let i = 0; i < 3e5; i++) junk.push({ i });
  if (isMainThread) console.log(sums.reduce((a, b) => a + b, 0), junk.length);
}
if (isMainThread) for (let i = 0; i < 2; i++) new Worker(__filename);
main();
"""


def program(text):
    here = folder(main_js=text)
    (here / "node_modules/lib").mkdir(parents=True)
    (here / "node_modules/lib/index.js").write_text(LIBRARY)
    return here / "main.js"


def named(number):
    done = tare.traced([version(number), program(KEEP)], timeout=120, env=environment())
    assert done.status == 0 and done.out == b"done\n", done.err.decode()
    found = [place for kind, place, _ in findings(done) if kind == "retained"]
    judged(found == [4], (root(done)["answer"], findings(done)))


def harmless(number):
    tare.same([version(number), program(STORM)], env=environment(), timeout=120)


CASES = {f"named_{number}": lambda number=number: named(number) for number in VERSIONS}
CASES.update({f"harmless_{number}": lambda number=number: harmless(number) for number in VERSIONS})
node()
tare.Cases().each(CASES)
