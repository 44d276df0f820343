// Everything at once that could hurt a guest in the engine, for so many seconds: buffers of all sizes from
// interpreted and compiled code, from the deepest frame, under exceptions and in callbacks of the collector;
// collections at any moment; workers that end by themselves, by exit, by an error and by force. What is said is
// what was found wrong, and at the end one line that is always the same.
'use strict';

const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { AsyncLocalStorage } = require('async_hooks');
const vm = require('vm');
const v8 = require('v8');
const zlib = require('zlib');
const crypto = require('crypto');

const SIZES = [0, 1, 7, 8, 64, 100, 511, 4096, 8191, 8193, 65536, 300001, 1 << 20];
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');

function check(right, what) {
  if (!right) console.log('WRONG:', what);
}

function hot(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += new Uint8Array(SIZES[i % 9])[0] || 0;
  return sum;
}

function deep(left) {
  const mine = Buffer.alloc(100 + (left % 7), left & 255);
  return left === 0 ? mine[0] : (deep(left - 1) + mine[0]) & 255;
}

function bottomless() {
  const mine = new ArrayBuffer(200);
  return bottomless() + mine.byteLength;
}

function overflow() {
  try {
    bottomless();
    check(false, 'no end of the stack');
  } catch (error) {
    check(error instanceof RangeError, String(error));
  }
}

function refused() {
  try {
    new ArrayBuffer(2 ** 52);
    check(false, 'too large');
  } catch (error) {
    check(error instanceof RangeError, String(error));
  }
}

function* parts(n) {
  for (let i = 0; i < n; i++) {
    try {
      yield Buffer.allocUnsafe(SIZES[i % SIZES.length]);
    } finally {
      new Float64Array(16);
    }
  }
}

function thrown(n) {
  let count = 0;
  for (let i = 0; i < n; i++) {
    try {
      const held = new Uint8Array(3000);
      throw Object.assign(new Error('mine'), { held });
    } catch (error) {
      count += error.held.length === 3000;
    }
  }
  check(count === n, 'errors');
}

const registry = new FinalizationRegistry((size) => Buffer.alloc(size));
function registered(n) {
  for (let i = 0; i < n; i++) registry.register({ big: new ArrayBuffer(4096) }, 1000 + i);
}

function moved() {
  const one = new ArrayBuffer(100000);
  new Uint8Array(one)[99999] = 7;
  const two = structuredClone(one, { transfer: [one] });
  check(one.byteLength === 0 && new Uint8Array(two)[99999] === 7, 'transfer');
  const shared = new SharedArrayBuffer(50000);
  check(structuredClone({ shared }).shared.byteLength === 50000, 'shared');
}

function context(turn) {
  const made = vm.runInNewContext(`const b = new Uint8Array(20000).fill(${turn % 200}); [b.length, b[7]]`);
  check(made[0] === 20000 && made[1] === turn % 200, 'context');
}

function assembly() {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 20 });
  memory.grow(3);
  check(memory.buffer.byteLength === 4 * 65536, 'wasm memory');
}

function compiled(turn) {
  const more = turn % 50;
  const f = new Function('size', `const x = new Uint8Array(size + ${more}); return x.length - ${more};`);
  let sum = 0;
  for (let i = 0; i < 300; i++) sum += f(i);
  check(sum === 44850, 'compiled');
}

function eager(n) {
  const texts = Array.from({ length: n }, (_, i) => Buffer.from('text '.repeat(i % 300)).toString('base64'));
  return texts.sort((a, b) => { new Uint8Array(9); return a < b ? -1 : 1; }).length;
}

function packed() {
  const data = crypto.randomBytes(30000);
  check(zlib.inflateSync(zlib.deflateSync(data)).equals(data), 'zlib');
  check(crypto.createHash('sha256').update(data).digest().length === 32, 'hash');
}

async function waited(turn) {
  const storage = new AsyncLocalStorage();
  await storage.run(turn, async () => {
    const read = await Promise.all([1, 2, 3].map(async (k) => {
      await new Promise((done) => setImmediate(done));
      return Buffer.alloc(k * 1000, storage.getStore() & 255)[k];
    }));
    check(read.every((x) => x === (turn & 255)), 'async');
  });
}

const WORK = [
  () => hot(3000), () => deep(60), () => thrown(60), () => registered(60), () => moved(), context, compiled,
  () => check(eager(200) === 200, 'sort'), packed, () => { for (const part of parts(40)) check(part, 'part'); },
  overflow, refused, assembly,
  (turn) => gc(turn % 3 === 0 ? { type: 'minor' } : undefined), waited,
];

async function rounds(until) {
  for (let turn = 0; Date.now() < until; turn++) {
    await WORK[turn % WORK.length](turn);
    if (turn % WORK.length === 0) await new Promise((done) => setImmediate(done));
  }
}

// One that is ended by force before it has begun has the status 0.
const CODES = { 'by itself': [0], 'by exit': [3], 'by force': [0, 1], 'by an error': [1] };
const END = Object.keys(CODES);

function work(kind, milliseconds) {
  return new Promise((done) => {
    const worker = new Worker(__filename, { workerData: { kind, milliseconds }, stdout: false });
    let failed = false;
    worker.on('error', (error) => {
      failed = true;
      check(kind === 'by an error' && error.message === 'on purpose', `${kind}: ${error.stack}`);
    });
    worker.on('message', (data) => check(data.byteLength === 70000, 'message'));
    worker.on('exit', (code) => {
      check(CODES[kind].includes(code), `${kind}: ${code}`);
      check(failed === (kind === 'by an error'), kind);
      done();
    });
    if (kind === 'by force') setTimeout(() => worker.terminate(), milliseconds);
  });
}

async function inWorker() {
  const { kind, milliseconds } = workerData;
  const data = new Uint8Array(70000);
  parentPort.postMessage(data.buffer, [data.buffer]);
  await rounds(Date.now() + (kind === 'by force' ? 1e6 : milliseconds));
  if (kind === 'by exit') process.exit(3);
  if (kind === 'by an error') setTimeout(() => { throw new Error('on purpose'); });
}

async function inMain(seconds) {
  const until = Date.now() + 1000 * seconds;
  const workers = async (first) => {
    for (let turn = first; Date.now() < until; turn++) {
      await work(END[turn % END.length], 150 + (turn * 37) % 400);
    }
  };
  await Promise.all([workers(0), workers(2), rounds(until)]);
  console.log('nothing was wrong');
}

if (isMainThread) inMain(Number(process.argv[2]));
else inWorker();
