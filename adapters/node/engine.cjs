// TensorFlow.js keeps one engine for all its copies, on the global object, under one name. We notice when it is
// put there, and count what it tracks and removes.
//
// Some tensors are reported to the probe one by one, with the line that made them. They are chosen at random by
// their bytes, as the probe does with blocks, and each has a weight.
'use strict';

const { BACKWARD, PREDICT, READ, SCOPE } = require('./clocks.cjs');
const datasets = require('./datasets.cjs');
const device = require('./device_tensors.cjs');
const native = require('./native_tensors.cjs');
const { methodOf, replace, tickAt } = require('./replace.cjs');
const { callers, isUsersLine } = require('./users.cjs');

const TENSOR = 5, TENSOR_MANAGED = 6; // enum site_kind
const HANDLE = 64;                    // what a tensor takes in addition to its data; used for the choice alone
const MARKS = 65536;                  // a power of two, so that few share one
const WIDTHS = { float32: 4, int32: 4, bool: 1, complex64: 8, string: 8 };
const NUMBERS = 2 ** 30;              // per thread; the number of a thread is below 2^22
const ENGINE = 2 ** 28;               // per engine

class Watch {
  constructor(probe, engine, base) {
    this.probe = probe;
    this.engine = engine;
    this.number = base;
    this.rate = 1024;
    this.left = 0;
    this.sampled = new WeakMap(); // data -> the number that the probe knows
    this.marks = new Uint8Array(MARKS); // 1 where the data with this number may be sampled
    this.looks = 4; // for the classes of models
    // Alive, bytes, what the probe writes: released; never used; bytes of a device: used, taken; what the
    // probe writes: collections that the doctor has asked for; how often this was counted on a device.
    this.counts = new Float64Array(8);
    this.backend = null; // the engine's backend when a tensor was last reported
    this.late = undefined; // for backends that get tensors at their first use (late_tensors.cjs)
    probe.counters(this.counts);
  }

  count() {
    const { counts, late } = this;
    const { state } = this.engine;
    counts[1] = state.numBytes;
    if (late === undefined) counts[0] = state.numDataBuffers - counts[2];
    else late.count(counts, state);
  }

  // The program may switch to another backend at any time.
  meetBackend() {
    const backend = this.engine.registry[this.engine.backendName];
    if (backend === this.backend) return;
    this.backend = backend;
    this.late = native.of(this, backend) || device.of(this, backend);
  }

  // The number of the data from now on.
  note(dataId) {
    const number = this.number++;
    this.sampled.set(dataId, number);
    this.marks[dataId.id === undefined ? 0 : dataId.id % MARKS] = 1;
    return number;
  }

  // The memory of the CPU backend is ordinary JavaScript memory: the collector frees what is unused.
  tell(tensor, bytes) {
    const managed = this.engine.backendName === 'cpu';
    const chance = 1 - Math.exp(-(bytes + HANDLE) / this.rate);
    const weight = Math.max(bytes, Math.round(bytes / chance));
    if (this.late && this.late.wait(tensor.dataId, bytes, weight)) return;
    const number = this.note(tensor.dataId);
    this.rate = managed
      ? this.probe.born(TENSOR_MANAGED, number, bytes, weight, tensor.dataId)
      : this.probe.born(TENSOR, number, bytes, weight);
  }

  // Only the first handle of its data counts. If the choice fell on a later handle of the same data, nothing is
  // chosen: to take the next one instead would take it too often.
  choose(tensor, bytes) {
    if (!this.engine.state.tensorInfo.has(tensor.dataId)) {
      if (this.looks > 0 && (findModels(this.probe) || --this.looks === 0)) this.looks = 0;
      this.meetBackend();
      if (bytes > 0) this.tell(tensor, bytes);
    }
    this.left = -Math.log(1 - Math.random()) * this.rate;
  }

  removed(dataId) {
    const number = this.sampled.get(dataId);
    if (number === undefined) return;
    this.sampled.delete(dataId);
    this.probe.died(number);
  }
}

function bytesOf(tensor) {
  return tensor.size * (WIDTHS[tensor.dtype] || 4);
}

function overhear(watch, engine) {
  const track = methodOf(engine, 'trackTensor');
  const remove = methodOf(engine, 'removeDataId');
  const { marks } = watch;
  if (!track || !remove || !engine.state) return false;
  replace(engine, 'trackTensor', function trackTensor(tensor, backend) {
    const bytes = tensor.dtype === 'float32' ? tensor.size * 4 : bytesOf(tensor);
    if ((watch.left -= bytes + HANDLE) < 0) watch.choose(tensor, bytes);
    track.call(this, tensor, backend);
    if (watch.late !== undefined) watch.late.tracked(tensor.dataId, bytes);
    watch.count();
  });
  replace(engine, 'removeDataId', function removeDataId(dataId, backend) {
    remove.call(this, dataId, backend);
    if (marks[dataId.id === undefined ? 0 : dataId.id % MARKS] === 1) watch.removed(dataId);
    if (watch.late !== undefined) watch.late.removed(dataId);
    watch.count();
  });
  return true;
}

// A scope outside of all others, and not of a single operation: a tidy of the user, or a prediction.
function countScopes(probe, engine) {
  const start = methodOf(engine, 'startScope');
  if (!start) return;
  replace(engine, 'startScope', function startScope(name) {
    if (this.state.scopeStack.length === 0 && !(typeof name === 'string' && name.endsWith('__op'))) {
      probe.tick(SCOPE);
    }
    return start.call(this, name);
  });
}

// The first line of a stack that belongs neither to a package nor to tare.
function userLine() {
  const own = callers().find(isUsersLine);
  return own ? own.trim().replace(/^at (?:.* \()?/, '').replace(/:\d+\)?$/, '') : 'a line that is not known';
}

// A scope is closed when the function of a tidy has returned, which an async one does at its first await.
function watchTidy(probe, engine) {
  const tidy = methodOf(engine, 'tidy');
  if (!tidy) return;
  let told = false;
  replace(engine, 'tidy', function tareTidy(...given) {
    const result = tidy.apply(this, given);
    if (!told && result instanceof Promise) {
      told = true;
      probe.note(`tf.tidy() was given an async function (${userLine()}): its scope ended at the first await. `
        + 'What was made before is disposed, what is made after it is not.');
    }
    return result;
  });
}

// Functions whose work continues after a wait, when the user's line has left the stack.
const LAUNCHES = ['fit', 'fitDataset', 'evaluateDataset', 'trainOnBatch', 'executeAsync', 'predictAsync'];
const PREDICTS = ['predict', 'predictOnBatch', 'execute', 'executeAsync'];

function hookModel(probe, kind) {
  for (const name of new Set([...LAUNCHES, ...PREDICTS])) {
    if (!Object.hasOwn(kind.prototype, name)) continue;
    tickAt(kind.prototype, name, () => {
      if (LAUNCHES.includes(name)) probe.launch();
      if (PREDICTS.includes(name)) probe.tick(PREDICT);
    });
  }
}

// A function that a module exports as an ordinary property; getters that lead to it stay.
function hookExport(probe, exported, name) {
  const property = Object.getOwnPropertyDescriptor(exported, name);
  if (property && property.configurable && 'value' in property) {
    tickAt(exported, name, () => probe.launch(), property.enumerable);
  }
}

// What each loaded module exports. A module may throw when it is examined; the program must not notice.
function eachModule(look) {
  for (const module of Object.values(require.cache)) {
    try {
      if (module && module.exports) look(module.exports, module);
    } catch {
      // It is not one of those that we need.
    }
  }
}

// Models are found among the modules that are loaded when the first tensors are made.
function findModels(probe) {
  const seen = new Set();
  eachModule((exported) => {
    if (!(exported.LayersModel || exported.GraphModel)) return;
    for (const kind of [exported.LayersModel, exported.GraphModel]) {
      if (typeof kind !== 'function' || seen.has(kind)) continue;
      seen.add(kind);
      hookModel(probe, kind);
    }
    for (const name of ['loadLayersModel', 'loadGraphModel']) hookExport(probe, exported, name);
  });
  return seen.size > 0;
}

// A backend is registered when the package is almost loaded, before the program makes a data set.
function awaitDatasets(probe, engine) {
  tickAt(engine, 'registerBackend', () => eachModule((exported, module) => {
    const kind = module.loaded && Object.getOwnPropertyDescriptor(exported, 'Dataset');
    if (kind && kind.value) datasets.meet(probe, kind.value);
  }));
}

const VARIABLE = 1, OPEN_SCOPE = 2, KEPT = 3; // enum tensor_holder
const HOLDERS_MOST = 100000; // examined at the end

// Which of the sampled tensors the engine itself still holds, and how.
class Holders {
  constructor(watch) {
    this.watch = watch;
    this.left = HOLDERS_MOST;
  }

  tell(tensor, holder) {
    const number = tensor && tensor.dataId && this.left-- > 0
      ? this.watch.sampled.get(tensor.dataId) : undefined;
    if (number !== undefined) this.watch.probe.held(number, holder);
  }

  look() {
    const { registeredVariables, scopeStack } = this.watch.engine.state;
    for (const scope of scopeStack || []) {
      for (const tensor of scope.track) this.tell(tensor, tensor.kept ? KEPT : OPEN_SCOPE);
    }
    for (const name in registeredVariables) this.tell(registeredVariables[name], VARIABLE);
  }
}

const watches = []; // of this thread

// At the end, before the doctor asks its last questions.
exports.end = () => {
  for (const watch of watches) new Holders(watch).look();
};

let engines = 0; // of this thread

exports.meet = (probe, engine) => {
  const watch = new Watch(probe, engine, probe.thread() * NUMBERS + engines++ * ENGINE);
  if (!overhear(watch, engine)) return;
  watches.push(watch);
  if (process.env.TARE_TRY === 'dispose') require('./dispose.cjs').begin(probe, engine);
  countScopes(probe, engine);
  watchTidy(probe, engine);
  awaitDatasets(probe, engine);
  tickAt(engine, 'gradients', () => probe.tick(BACKWARD));
  for (const name of ['read', 'readSync']) tickAt(engine, name, () => probe.tick(READ));
};
