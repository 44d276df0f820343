// Scripts that do not return to their event loop, in the main thread and in workers, for so many seconds: loops
// of all kinds, waits on shared memory, and ends of workers and of the process in the middle of a loop. Somebody
// may want a word with the engine meanwhile. What is said is what was found wrong, and at the end one line that
// is always the same.
'use strict';

const { Worker, isMainThread, workerData } = require('worker_threads');
const vm = require('vm');

function check(right, what) {
  if (!right) console.log('WRONG:', what);
}

const kept = [];
function allocate(n) {
  kept.push(new Array(100).fill(n), Buffer.alloc(3000, n & 255));
  if (kept.length > 200) kept.length = 0;
  return kept.length;
}

function sum(n) {
  let all = 0;
  for (let i = 0; i < 200000; i++) all += i ^ n;
  return all;
}

function searched(n) {
  check(!/^(a+)+$/.test('a'.repeat(20) + 'b'), 'regexp');
  check(`x${n}y`.repeat(2000).replace(/\d+/g, (d) => d.length).includes(`x${String(n).length}y`), 'replace');
}

function written(n) {
  const rows = Array.from({ length: 2000 }, (_, i) => ({ i, n, text: 'row '.repeat(i % 9) }));
  check(JSON.parse(JSON.stringify(rows))[1999].n === n, 'JSON');
  check(rows.sort((a, b) => b.i - a.i)[0].i === 1999, 'sort');
}

function down(left) {
  return left === 0 ? 0 : 1 + down(left - 1);
}

function overflow() {
  const bottomless = () => bottomless() + 1;
  try {
    bottomless();
    check(false, 'no end of the stack');
  } catch (error) {
    check(error instanceof RangeError, String(error));
  }
}

function interrupted() {
  try {
    vm.runInNewContext('for (let i = 0;; i++) ({ i });', {}, { timeout: 300 });
    check(false, 'no end of the script');
  } catch (error) {
    check(error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT', String(error));
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));
function waits(milliseconds) {
  check(Atomics.wait(cell, 0, 0, milliseconds) === 'timed-out', 'wait');
}

const LOOPS = [allocate, (n) => check(sum(n) === sum(n), 'sum'), searched, written, () => check(down(3000) === 3000, 'depth'),
  overflow, (n) => { if (n % 30 === 0) interrupted(); }, () => waits(3)];

function busy(milliseconds, which = LOOPS) {
  const until = Date.now() + milliseconds;
  for (let n = 1; Date.now() < until; n++) which[n % which.length](n);
}

const ENDS = {
  force: [() => busy(1e6), [1]], exit: [() => { busy(450); process.exit(3); }, [3]],
  asleep: [() => { busy(300); Atomics.wait(cell, 0, 0); }, [1]],
  nap: [() => { for (;;) { busy(30); waits(25); } }, [1]],
  idle: [() => { for (;;); }, [1]], itself: [() => busy(450), [0]],
  error: [() => { busy(350); throw new Error('on purpose'); }, [1]],
};

function work(kind, milliseconds) {
  return new Promise((done) => {
    const worker = new Worker(__filename, { workerData: { kind } });
    const byForce = ['force', 'asleep', 'nap', 'idle'].includes(kind);
    worker.on('error', (error) => check(kind === 'error' && error.message === 'on purpose', error.stack));
    worker.on('exit', (code) => {
      check(ENDS[kind][1].includes(code) || (byForce && code === 0), `${kind}: ${code}`);
      done();
    });
    if (byForce) setTimeout(() => worker.terminate(), milliseconds);
  });
}

async function inMain(seconds) {
  const until = Date.now() + 1000 * seconds;
  const kinds = Object.keys(ENDS);
  const workers = async (first) => {
    for (let turn = first; Date.now() < until; turn++) {
      await work(kinds[turn % kinds.length], 250 + (turn * 37) % 500);
    }
  };
  const own = async () => {
    while (Date.now() < until) {
      busy(350);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  await Promise.all([workers(0), workers(3), own()]);
  new Worker(__filename, { workerData: { kind: 'force' } }); // which is at it when the process ends
  await new Promise((done) => setTimeout(done, 400));
  busy(400);
  console.log('nothing was wrong');
  LOOPS.push(() => process.exit(7));
  busy(1e6);
}

if (isMainThread) inMain(Number(process.argv[2]));
else ENDS[workerData.kind][0]();
