// Mark where a step ends, and name a part of the work.
//
//     const tare = require('tare');
//
//     for (const batch of batches) {
//       train(batch);
//       tare.step();
//     }
//     tare.scope('eval', () => evaluate(model));
//
// Under `tare run` this package is found without being installed. Without the probe both calls do
// nothing but call what they are given.
'use strict';

const nothing = () => {};
// A test runner may have given this module its own global object; the probe is on the first one.
const first = require('vm').runInThisContext('globalThis');
const probe = first[Symbol.for('tare')] ||
  { step: nothing, scopeBegin: nothing, scopeEnd: nothing };

exports.active = () => probe.step !== nothing;

exports.step = () => { probe.step(); };

// What `work` allocates belongs to `name`, if it is synchronous; of an async function only the part before its
// first await. Returns what `work` returns.
exports.scope = (name, work) => {
  probe.scopeBegin(String(name));
  try {
    return work();
  } finally {
    probe.scopeEnd();
  }
};
