// Backends that get the values of a tensor when an operation first uses it.
//
// Until then they are a JavaScript array, which the collector frees like anything else, although tf.memory() still
// counts it. So such a tensor is reported to the probe when its backend gets it, with the line that made it, and
// the copy made at that moment does not belong to the operation.
'use strict';

const TENSOR = 5; // enum site_kind

exports.LateTensors = class LateTensors {
  constructor(watch) {
    this.watch = watch;
    this.waiting = new WeakMap(); // data that the backend does not have yet -> what to report
  }

  // False: the backend has it already; report it like any other.
  wait(dataId, bytes, weight) {
    if (this.isHere(dataId)) return false;
    this.waiting.set(dataId, { bytes, weight, stack: this.watch.probe.stack() });
    return true;
  }

  arrived(dataId) {
    const tensor = this.waiting.get(dataId);
    if (!tensor) return;
    this.waiting.delete(dataId);
    const number = this.watch.note(dataId);
    this.watch.probe.bornAt(TENSOR, number, tensor.bytes, tensor.weight, tensor.stack);
  }

  // What the backend copies in this call belongs to the line that made the tensor.
  quietly(work) {
    const { probe } = this.watch;
    const before = probe.quiet(1);
    try {
      return work();
    } finally {
      probe.quiet(before);
    }
  }

  tracked() {} // the engine counts one more handle of these data

  removed() {} // the engine counts no handle of them any more
};
