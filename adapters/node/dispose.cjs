// `tare run --try dispose`: a tensor that is unreachable is disposed, as if the program had done it. This is a
// proof, not a fix: if growth ends, tensors were dropped without dispose(); if it continues, the program
// itself still holds them.
//
// V8 does not know the memory of a tensor and has no reason to collect, so a collection is requested each time
// so many bytes were made and not disposed. Handles that share their data (reshape, clone) count one by one, as
// the engine counts them. Data that is being read in the background stays until the read ends. Only a data id
// that the program kept without its tensor is lost.
'use strict';

const FIRST = 2 << 20;  // bytes until the first collection; twice as many for each later one,
const MOST = 32 << 20;  // up to this
const HANDLE = 1024;    // what a tensor takes in addition to its data, about
const LOOKS = 64;       // tensors made between two checks of what V8's own collections found
const PAUSE = 100;      // milliseconds between two checks when none are made
const WIDTHS = { float32: 4, int32: 4, bool: 1, complex64: 8, string: 8 };

function replace(object, name, value) {
  Object.defineProperty(object, name,
    { value, configurable: true, enumerable: false, writable: true });
}

const sum = { tensors: 0, bytes: 0, collections: 0, milliseconds: 0, engines: 0 };

class Drops {
  constructor(probe, engine, dispose) {
    this.probe = probe;
    this.engine = engine;
    this.dispose = dispose;
    this.ends = new Map();      // number of a tensor -> what is needed to dispose it
    this.numbers = new WeakMap(); // tensor -> its number
    this.reads = new Map();     // data id -> reads in progress, and what waits for their end
    this.bytes = 0;             // of tensors that are not disposed
    this.kept = 0;              // the same, after the last collection
    this.budget = FIRST;
    this.looks = LOOKS;
  }

  // The engine's dispose needs only this of a tensor; the tensor itself must not be held.
  made(tensor) {
    const known = this.ends.get(this.numbers.get(tensor));
    if (known) { // counted once more by the engine, as a variable may be
      known.times++;
      return;
    }
    const number = this.probe.follow(tensor);
    if (number === 0) return;
    const cost = tensor.size * (WIDTHS[tensor.dtype] || 4) + HANDLE;
    this.numbers.set(tensor, number);
    this.ends.set(number, { dataId: tensor.dataId, id: tensor.id, dtype: tensor.dtype,
      shape: tensor.shape, size: tensor.size, cost, times: 1 });
    this.bytes += cost;
    if (this.bytes - this.kept > this.budget) this.collect();
    else if (--this.looks <= 0) this.look();
  }

  // Disposed by the program; of a variable, before it gets other data.
  disposed(tensor) {
    const number = this.numbers.get(tensor);
    const end = this.ends.get(number);
    if (!end || --end.times > 0) return;
    this.forget(number, end);
    this.numbers.delete(tensor);
    this.probe.unfollow(number);
  }

  forget(number, end) {
    this.ends.delete(number);
    this.bytes -= end.cost;
  }

  collect() {
    sum.milliseconds += this.probe.collect();
    sum.collections++;
    this.look();
    this.kept = this.bytes;
    this.budget = Math.min(2 * this.budget, MOST);
  }

  // The tensors that any collection found unreachable.
  look() {
    this.looks = LOOKS;
    for (const number of this.probe.dropped() || []) {
      const end = this.ends.get(number);
      if (!end) continue;
      this.forget(number, end);
      this.finish(end);
    }
    this.kept = Math.min(this.kept, this.bytes);
  }

  finish(end) {
    const read = this.reads.get(end.dataId);
    if (read) {
      read.waiting.push(end);
      return;
    }
    for (; end.times > 0; end.times--) this.dispose.call(this.engine, end);
    sum.tensors++;
    sum.bytes += end.cost - HANDLE;
  }

  reading(dataId, answer) {
    if (!answer || typeof answer.then !== 'function') return;
    const read = this.reads.get(dataId) || { count: 0, waiting: [] };
    const settled = () => {
      if (--read.count > 0) return;
      this.reads.delete(dataId);
      read.waiting.forEach((end) => this.finish(end));
    };
    this.reads.set(dataId, read);
    read.count++;
    answer.then(settled, settled);
  }
}

exports.begin = (probe, engine) => {
  const { trackTensor: track, disposeTensor: dispose, read } = engine;
  if (typeof track !== 'function' || typeof dispose !== 'function') return;
  const drops = new Drops(probe, engine, dispose);
  sum.engines++;
  replace(engine, 'trackTensor', function trackTensor(tensor, backend) {
    track.call(this, tensor, backend);
    drops.made(tensor);
  });
  replace(engine, 'disposeTensor', function disposeTensor(tensor) {
    drops.disposed(tensor);
    return dispose.call(this, tensor);
  });
  if (typeof read === 'function') {
    replace(engine, 'read', function readData(dataId) {
      const answer = read.call(this, dataId);
      drops.reading(dataId, answer);
      return answer;
    });
  }
  setInterval(() => drops.look(), PAUSE).unref();
};

const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`);

// For the report, which searches for this beginning (src/ledger/known_texts.def).
exports.end = (probe) => {
  const cost = `${sum.collections} collections for it took ${Math.round(sum.milliseconds)} ms`;
  probe.note('With --try dispose: ' + (sum.engines === 0 ? 'no TensorFlow.js was there.'
    : sum.tensors === 0 ? `no tensor was dropped: the program itself still reaches all of them; ${cost}.`
    : `${sum.tensors} tensors (${size(sum.bytes)}) that the program could not reach any more were disposed; ${cost}.`));
};
