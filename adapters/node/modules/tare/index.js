// Tell tare where a step ends, and what a piece of the work is called.
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
// A runner of tests may have given this module a global object of its own; the door is on the first.
const first = require('vm').runInThisContext('globalThis');
const probe = first[Symbol.for('tare')] ||
  { step: nothing, scopeBegin: nothing, scopeEnd: nothing };

exports.active = () => probe.step !== nothing;

exports.step = () => { probe.step(); };

// What `work` allocates belongs to `name`, if it is synchronous; of a promise only the part before
// its first wait does. Gives back what `work` gives.
exports.scope = (name, work) => {
  probe.scopeBegin(String(name));
  try {
    return work();
  } finally {
    probe.scopeEnd();
  }
};
