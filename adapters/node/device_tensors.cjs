// WebGPU: which tensors the device has, and what its memory is used for.
//
// The backend's sums say how much of the device is in use, and how much it has taken in total. A returned
// buffer goes into a pool, by its exact size, and stays there for the next tensor of that size. So newly
// created buffers are reported too, with their line.
'use strict';

const { LateTensors } = require('./late_tensors.cjs');
const { methodOf, replace } = require('./replace.cjs');

const BUFFER = 9; // enum site_kind
const TURNS = 4;  // turns of the event loop, within which finalizers have run
const AGE = 32;   // buffers made since: if one is reused after so many, keeping it was worth it

class DeviceTensors extends LateTensors {
  constructor(watch, backend) {
    super(watch);
    this.backend = backend;
    this.data = backend.tensorMap.data;
    this.here = new WeakMap(); // data on the device that the engine knows -> bytes
    this.tensors = 0;
    this.bytes = 0;
    this.synced = watch.counts[6];
    this.syncing = false;
    this.asked = false; // was the device ever asked?
    this.buffers = new WeakMap(); // reported buffers -> number, and how many were made before
    this.made = 0; // buffers
    this.left = 0; // bytes until the next one is reported
    this.follow(backend);
    this.followBuffers(backend.bufferManager);
  }

  count(counts, state) {
    const { bufferManager } = this.backend;
    counts[0] = this.tensors;
    counts[1] = this.bytes;
    counts[3] = state.numDataBuffers - this.tensors;
    counts[4] = bufferManager.numBytesUsed;
    counts[5] = bufferManager.numBytesAllocated;
    counts[7]++;
    if (counts[6] !== this.synced) this.sync(counts[6]);
  }

  // A complex tensor has no buffer of its own, but two others.
  isHere(dataId) {
    const info = this.data.get(dataId);
    return !info || (info.resource !== null && info.resource !== undefined) || !!info.complexTensorInfos;
  }

  tracked(dataId, bytes) {
    const info = this.data.get(dataId);
    if (!info || !info.resource || this.here.has(dataId)) return;
    this.here.set(dataId, bytes);
    this.tensors++;
    this.bytes += bytes;
  }

  removed(dataId) {
    const bytes = this.here.get(dataId);
    if (bytes === undefined) return;
    this.here.delete(dataId);
    this.tensors--;
    this.bytes -= bytes;
  }

  // Data that the engine does not know yet belongs to the result of an operation.
  follow(backend) {
    const own = this;
    const upload = backend.uploadToGPU;
    const known = this.watch.engine.state.tensorInfo;
    replace(backend, 'uploadToGPU', function uploadToGPU(dataId) {
      const info = known.get(dataId);
      if (info === undefined || own.isHere(dataId)) return upload.call(this, dataId);
      const answer = upload.call(this, dataId);
      own.tracked(dataId, info.bytes);
      own.arrived(dataId);
      own.watch.count();
      return answer;
    });
  }

  // A software driver has its buffers in the heap, where they are counted and not sampled.
  followBuffers(manager) {
    const own = this;
    const acquire = manager.acquireBuffer;
    replace(manager, 'acquireBuffer', function acquireBuffer(size, usage, mapped, reuse) {
      if (reuse === false) return acquire.call(this, size, usage, mapped, reuse);
      const before = this.numBytesAllocated;
      const buffer = own.quietly(() => acquire.call(this, size, usage, mapped));
      if (this.numBytesAllocated !== before) own.bufferMade(buffer, size);
      else own.bufferUsed(buffer);
      return buffer;
    });
  }

  bufferMade(buffer, bytes) {
    const { watch } = this;
    this.made++;
    if ((this.left -= bytes) >= 0 || !(bytes > 0)) return;
    this.left = -Math.log(1 - Math.random()) * watch.rate;
    const weight = Math.max(bytes, Math.round(bytes / (1 - Math.exp(-bytes / watch.rate))));
    const number = watch.number++;
    this.buffers.set(buffer, { number, made: this.made });
    watch.probe.born(BUFFER, number, bytes, weight);
  }

  bufferUsed(buffer) {
    const known = this.buffers.get(buffer);
    if (known === undefined || this.made - known.made < AGE) return;
    this.buffers.delete(buffer);
    this.watch.probe.died(known.number);
  }

  // The doctor had the collector run: now release what only waits for the device, too. Nothing waits for the
  // answer, but a program that is over stays until its device is done. One request at a time.
  sync(asked) {
    const { queue } = this.backend;
    if (this.syncing || !queue || !methodOf(queue, 'onSubmittedWorkDone')) return;
    if (!this.asked) process.once('beforeExit', () => this.drain());
    this.asked = true;
    this.synced = asked;
    this.begin();
    this.ask(() => this.end());
  }

  begin() {
    this.syncing = true;
    this.watch.probe.syncing(1);
  }

  end() {
    this.syncing = false;
    this.watch.probe.syncing(0);
  }

  ask(done) {
    const { probe } = this.watch;
    const before = probe.quiet(1);
    try {
      this.backend.queue.onSubmittedWorkDone().then(done, done);
    } catch {
      done();
    } finally {
      probe.quiet(before);
    }
  }

  // A program that never waits releases native memory only after its end, unseen. If the device was asked,
  // and the program is idle now, some turns of the event loop show what had waited for them. Nothing is
  // collected here, because the program's own variables are gone.
  drain() {
    if (this.syncing || process.listenerCount('beforeExit') > 0) return;
    this.begin();
    turns(TURNS, () => this.ask(() => turns(TURNS, () => this.end())));
  }
}

function turns(count, done) {
  if (count === 0) done();
  else setImmediate(turns, count - 1, done);
}

// Undefined: another kind of backend, or an unknown version.
exports.of = (watch, backend) => {
  const manager = backend && backend.bufferManager;
  if (!manager || typeof manager.numBytesUsed !== 'number' || typeof manager.numBytesAllocated !== 'number'
      || typeof manager.acquireBuffer !== 'function' || typeof backend.uploadToGPU !== 'function'
      || !backend.tensorMap || !(backend.tensorMap.data instanceof WeakMap)) return undefined;
  return new DeviceTensors(watch, backend);
};
