// For tests, with any runner: a body that leaks fails, with the finding as the message.
//
//     const { expectNoGrowth } = require('tare/test');
//
//     test('predict does not leak', () =>
//       expectNoGrowth(() => model.predict(batch), { maxGrowth: '1KB/step', steps: 50 }));
//
// The body is one step of the work; it may be asynchronous. It runs `steps` times in the process of
// the test, with a collection after each, so that garbage is not a leak; then `tare check` judges what
// came after the first of them. A leak ends the test; to pass, it must be clean twice in a row, with
// twice as many steps the second time. As long as there is not enough evidence it runs more, twice as
// many each time, at most MOST times `steps`. The tests must run under `tare run`.
'use strict';

const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { performance } = require('perf_hooks'); // not the runner's
const timers = require('timers'); // those of the module, not those that a runner may have faked
const v8 = require('v8');
const vm = require('vm');

const tare = require('./index.js');

const STEPS = 50;
const MOST = 16;           // times the number of steps asked for
const WAIT = 60000;        // milliseconds that one check may take
const TROUGHS = 8;         // full collections in a round of steps
const LOOKS = 2;           // checks in a row that must find it clean: V8's own variation may hide a leak once
const PACE = 8;            // milliseconds that a step lasts at least
const FORGET = 10;         // full collections after which V8 has dropped unused code
const HEAP_LEAST = 1 << 20; // bytes by which the JavaScript heap must rise to be judged
const OPTIONS = ['maxGrowth', 'allow', 'steps'];

class GrowthError extends Error {
  constructor(message) {
    super(message);
    this.name = 'GrowthError';
  }
}

// ---- the program ----

// Beside this package, as built or as installed, or on the path; null: nowhere.
function findProgram() {
  const places = [path.join(__dirname, '../../../tare'), path.join(__dirname, '../../../../../bin/tare'),
    ...(process.env.PATH || '').split(':').map((place) => path.join(place || '.', 'tare'))];
  return places.find((place) => {
    try {
      fs.accessSync(place, fs.constants.X_OK);
      return fs.statSync(place).isFile();
    } catch {
      return false;
    }
  }) || null;
}

// The environment without the probe: `tare` itself must not be watched.
function untraced() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) =>
    name !== 'LD_PRELOAD' && name !== 'NODE_OPTIONS' && !name.startsWith('TARE_')));
}

function ledger() {
  const directory = process.env.TARE_DIR;
  const own = new RegExp(`^${process.pid}\\..*\\.tare$`);
  const found = fs.readdirSync(directory).filter((name) => own.test(name)).sort();
  if (!found.length) throw new Error('tare left no record of the process of this test');
  return path.join(directory, found.pop());
}

// { status, answer }: what `tare check` says about the time since then.
function check(program, since, limits) {
  const words = ['check', '--json', '--since', String(since)];
  if (limits.maxGrowth !== undefined) words.push('--max-growth', String(limits.maxGrowth));
  if (limits.allow !== undefined) words.push('--allow', String(limits.allow));
  const done = spawnSync(program, [...words, ledger()], { env: untraced(), timeout: WAIT });
  if (done.error) throw done.error;
  if (![0, 1, 3].includes(done.status)) {
    throw new Error(`tare check: ${done.stderr.toString().trim() || done.signal}`);
  }
  return { status: done.status, answer: JSON.parse(done.stdout.toString()) };
}

// ---- the steps ----

let collect; // V8's own function; it needs no flag on the command line

// V8 drops code that has not run for several collections. Of the test runner this is much at once, and would
// hide what the body leaves. So it happens here, before the first step.
function prepare() {
  if (collect) return;
  v8.setFlagsFromString('--expose-gc');
  collect = vm.runInNewContext('gc');
  for (let i = 0; i < FORGET; i++) collect();
}

const still = new Int32Array(new SharedArrayBuffer(4));
const turn = () => new Promise((resolve) => { timers.setImmediate(resolve); });

// A round of steps. Young objects are collected after each step. Full collections are few, so that what the heap
// gains from one to the next is large enough to see. `heap` gets its size after each of them.
async function runSteps(body, count, heap) {
  const every = Math.max(1, Math.floor(count / TROUGHS));
  for (let i = 1; i <= count; i++) {
    await body();
    await turn(); // finalizers run in the next turn
    const began = performance.now();
    const full = i % every === 0;
    collect(full ? undefined : { type: 'minor' });
    // The probe may spend a small part of the time on its record of a step: it must have lasted.
    Atomics.wait(still, 0, 0, Math.max(0, PACE - (performance.now() - began)));
    tare.step();
    if (full) heap.push({ steps: every, bytes: v8.getHeapStatistics().used_heap_size });
  }
}

// The doctor judges the JavaScript heap once it has risen enough. Would it, at the pace of the newer half, within
// the steps that may still run? Then run them.
function heapMayRise(heap, most) {
  const newer = heap.slice(heap.length >> 1);
  const steps = newer.reduce((sum, trough) => sum + trough.steps, 0) - newer[0].steps;
  const rise = newer[newer.length - 1].bytes - newer[0].bytes;
  return steps > 0 && (rise / steps) * most > HEAP_LEAST;
}

async function judge(program, body, steps, limits) {
  prepare();
  const since = process.hrtime.bigint();
  const heap = [];
  let done = 0;
  let clean = 0;
  let result;
  do {
    const more = Math.max(steps, done); // twice as many each time
    await runSteps(body, more, heap);
    done += more;
    result = check(program, since, limits);
    clean = result.status === 0 && !heapMayRise(heap, MOST * steps) ? clean + 1 : 0;
  } while (result.status !== 1 && clean < LOOKS && done < MOST * steps);
  if (result.status === 0) return;
  const lines = result.answer.lines.filter((line) => line.outcome !== 'passed');
  throw new GrowthError([`${result.answer.answer} (${done} steps)`,
    ...lines.map((line) => `  ${line.text}`)].join('\n'));
}

// ---- what a test calls ----

function isMainThread() {
  return require('worker_threads').isMainThread;
}

function demand(body, options) {
  const unknown = Object.keys(options).filter((name) => !OPTIONS.includes(name));
  if (typeof body !== 'function' || unknown.length) {
    throw new TypeError(`expectNoGrowth takes a function and ${OPTIONS.join(', ')}` +
      (unknown.length ? `, not ${unknown.join(', ')}` : ''));
  }
  if (!tare.active()) {
    throw new Error('expectNoGrowth measures under tare alone: ' +
      'start the tests with "npx tare run -q -- " before their command');
  }
  if (!isMainThread()) {
    throw new Error('expectNoGrowth needs a process of its own, not a thread: with Vitest, --pool=forks');
  }
}

let queue = Promise.resolve(); // one at a time: they share the process, and its record

// Resolves when the body was found clean; rejects with the finding, or with what the body threw.
exports.expectNoGrowth = async function expectNoGrowth(body, options = {}) {
  demand(body, options);
  const { steps = STEPS, ...limits } = options;
  const program = findProgram();
  if (!program) throw new Error('the program tare was not found beside its package nor on the path');
  const mine = queue.then(() => judge(program, body, steps, limits));
  queue = mine.catch(() => {});
  return mine;
};

exports.GrowthError = GrowthError;
