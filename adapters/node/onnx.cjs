// onnxruntime-node: a run of a session is a prediction, and the memory of a session belongs to the line that
// requested it. Both happen in a later turn of the event loop, when that line has left the stack.
'use strict';

const { PREDICT } = require('./clocks.cjs');
const { tickAt } = require('./replace.cjs');

function hook(probe, kind) {
  tickAt(kind, 'create', () => probe.launch());
  tickAt(kind.prototype, 'run', () => {
    probe.launch();
    probe.tick(PREDICT);
  });
}

const met = new WeakSet(); // of the classes; there may be several copies of the package

// The classes are in a package that is loaded before the binding.
exports.meet = (probe) => {
  for (const module of Object.values(require.cache)) {
    if (!module || !/[\\/]onnxruntime-common[\\/]/.test(module.filename)) continue;
    const kind = module.exports && module.exports.InferenceSession;
    if (typeof kind !== 'function' || met.has(kind)) continue;
    met.add(kind);
    hook(probe, kind);
  }
};
