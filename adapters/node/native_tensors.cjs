// tfjs-node: which tensors TensorFlow itself has.
//
// The values of a tensor stay an array of JavaScript's until an operation first uses them; then
// TensorFlow gets a copy, which lives until the tensor is disposed. A tensor that was never used is
// freed by the collector like anything else, though tf.memory() counts it on. So a tensor is told to the
// probe when TensorFlow gets it, with the line that made it, and its copy is not counted as made by
// the operation.
'use strict';

const { replace } = require('./replace.cjs');

const TENSOR = 5; // enum site_kind

class NativeTensors {
  constructor(watch, backend) {
    this.watch = watch;
    this.backend = backend;
    this.waiting = new WeakMap(); // of data that TensorFlow does not have yet: what is to be told
    watch.probe.tensorflow();
    this.follow(watch.probe, backend);
  }

  // Of the process: all backends of this kind share one table.
  count() {
    return this.backend.binding.getNumOfTensors();
  }

  isHere(dataId) {
    const info = this.backend.tensorMap.data.get(dataId);
    return !info || info.values === null || info.values === undefined;
  }

  // False: TensorFlow has it already, and it is to be told as any other.
  wait(dataId, bytes, weight) {
    if (this.isHere(dataId)) return false;
    this.waiting.set(dataId, { bytes, weight, stack: this.watch.probe.stack() });
    return true;
  }

  arrived(dataId) {
    const told = this.waiting.get(dataId);
    if (!told) return;
    this.waiting.delete(dataId);
    const number = this.watch.note(dataId);
    this.watch.probe.bornAt(TENSOR, number, told.bytes, told.weight, told.stack);
  }

  follow(probe, backend) {
    const own = this;
    const get = backend.getInputTensorIds;
    replace(backend, 'getInputTensorIds', function getInputTensorIds(tensors) {
      let late = false;
      for (let i = 0; i < tensors.length && !late; i++) {
        const { dataId } = tensors[i];
        late = dataId !== undefined && !own.isHere(dataId);
      }
      if (!late) return get.call(this, tensors);
      const before = probe.quiet(1);
      let ids;
      try {
        ids = get.call(this, tensors);
      } finally {
        probe.quiet(before);
      }
      for (let i = 0; i < tensors.length; i++) if (tensors[i].dataId) own.arrived(tensors[i].dataId);
      own.watch.count();
      return ids;
    });
  }
}

// Undefined: another kind of backend, or one that does not look as expected.
exports.of = (watch, backend) => {
  if (!backend || !backend.binding || typeof backend.binding.getNumOfTensors !== 'function'
      || typeof backend.getInputTensorIds !== 'function'
      || !backend.tensorMap || !(backend.tensorMap.data instanceof WeakMap)) return undefined;
  return new NativeTensors(watch, backend);
};
