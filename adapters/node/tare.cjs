// Node loads this first, because `tare run` has put it into NODE_OPTIONS; so does every worker.
//
// It connects the probe with what only JavaScript knows: turns of the event loop, requests served,
// tensors, and the moment before the end. Nothing is printed, nothing is thrown. What goes wrong
// on our side is swallowed; without the probe in the process nothing is done at all.
'use strict';

const { MARK, REQUEST } = require('./clocks.cjs');

// Each is loaded when it is first needed: a file takes half a millisecond of a program's start.
const parts = {};
const part = (name) => parts[name] || (parts[name] = hidden(require(`./${name}.cjs`)));

// Our files stay in the cache of modules, where they find one another, but are hidden from code that lists it.
// `require('tare')`, which the program itself has asked for, is an ordinary module.
function hidden(loaded) {
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(__dirname + '/') && !file.startsWith(__dirname + '/modules/')) {
      Object.defineProperty(require.cache, file, { enumerable: false });
    }
  }
  return loaded;
}

// A name defined on the prototype of the global object is found as if it were global, and is not a property of
// the global object itself.
function defineBehindGlobal(name, property) {
  Object.defineProperty(Object.getPrototypeOf(globalThis), name, { configurable: true, ...property });
}

// `require('tare')` finds our package when no other of that name is found: its directory joins the
// places of NODE_PATH, which are searched last. The variable itself stays as it was.
function offerPackage() {
  const Module = require('module');
  const had = process.env.NODE_PATH;
  const place = __dirname + '/modules';
  try {
    process.env.NODE_PATH = had ? had + ':' + place : place;
    Module._initPaths();
  } finally {
    if (had === undefined) delete process.env.NODE_PATH;
    else process.env.NODE_PATH = had;
  }
}

// A request is served when its response is finished. Node announces it on a diagnostics channel.
function countRequests(probe) {
  const channels = require('diagnostics_channel');
  channels.channel('http.server.response.finish').subscribe(() => probe.tick(REQUEST));
}

function meetLoaded(probe, file) {
  try {
    if (file === 'onnxruntime_binding.node') part('onnx').meet(probe);
  } catch {
    // It works without us.
  }
}

// TensorFlow.js puts its engine there: the name is tfjs-core's own (global_util.ts), the same since version 1.
// Only then does the global object have that property.
function awaitEngine(probe) {
  let engine;
  const property = {
    configurable: true,
    get() { return engine; },
    set(value) {
      engine = value;
      Object.defineProperty(globalThis, '_tfengine', { enumerable: true, ...property });
      try {
        if (value) part('engine').meet(probe, value);
      } catch {
        // It works without us.
      }
    },
  };
  defineBehindGlobal('_tfengine', property);
}

function finish(probe) {
  try {
    probe.over();
    if (probe.sampled()) part('objects').last(probe);
    if (parts.objects) parts.objects.ending = true;
    if (process.env.TARE_TRY === 'dispose') part('dispose').end(probe);
    if (parts.engine) parts.engine.end();
  } catch {
    // The report says less; the program ends as it would.
  }
  probe.end();
}

// The program has no listener of ours. Node announces its end with process.emit('exit'). A look-up of `emit` gives
// the real one; while the process ends, it gives one that reports when the listeners are done (ending.c).
// A program may put a function of its own there, as the package signal-exit does.
function awaitEnd(probe) {
  const between = Object.getPrototypeOf(process); // between the process and EventEmitter.prototype
  const base = Object.getPrototypeOf(between);
  let own, done = false;
  const real = { get emit() { return own || base.emit; } };
  const last = probe.emitter(real, () => {
    if (!done) finish(probe);
    done = true;
  });
  const get = () => (last && process._exiting && !done ? last : real.emit);
  const visible = { configurable: true, enumerable: true };
  Object.defineProperty(between, 'emit', {
    ...visible,
    get,
    set(value) {
      if (this !== process) {
        Object.defineProperty(this, 'emit', { ...visible, writable: true, value });
        return;
      }
      own = value;
      Object.defineProperty(process, 'emit', { ...visible, get, set(other) { own = other; } });
    },
  });
}

function begin() {
  if (!process.env.TARE_DIR || process.env.TARE_OFF === '1') return;
  const probe = require('./tare_node.node');
  if (!probe.tick) return;
  const isMainThread = probe.thread() === 0; // the module worker_threads takes 5 ms to load
  defineBehindGlobal(Symbol.for('tare'), {
    value: {
      step: () => probe.tick(MARK), scopeBegin: probe.scopeBegin, scopeEnd: probe.scopeEnd,
    },
  });
  probe.turn();
  probe.onRises((rises, speed) => part('objects').look(probe, rises, speed));
  probe.onSnapshot((path) => part('objects').write(probe, path));
  if (process.channel && require('cluster').isWorker) probe.serves(); // its parent listens for it
  probe.onScripts(() => part('scripts').all(probe));
  awaitEngine(probe);
  countRequests(probe);
  process.dlopen = probe.around(process.dlopen, (file) => meetLoaded(probe, file));
  offerPackage();
  if (isMainThread) awaitEnd(probe);
  hidden();
  probe.hello('node ' + process.version.slice(1) + ': adapter loaded');
}

try {
  begin();
} catch {
  // The program runs without us.
}
