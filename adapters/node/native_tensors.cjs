// tfjs-node: which tensors TensorFlow itself has.
'use strict';

const { LateTensors } = require('./late_tensors.cjs');
const { replace } = require('./replace.cjs');

class NativeTensors extends LateTensors {
  constructor(watch, backend) {
    super(watch);
    this.backend = backend;
    watch.probe.tensorflow();
    this.follow(backend);
  }

  // One per process: all backends of this kind share one table.
  count(counts, state) {
    counts[0] = this.backend.binding.getNumOfTensors();
    counts[3] = state.numDataBuffers - counts[0];
    if (counts[3] > 0) counts[1] *= counts[0] / state.numDataBuffers;
  }

  isHere(dataId) {
    const info = this.backend.tensorMap.data.get(dataId);
    return !info || info.values === null || info.values === undefined;
  }

  follow(backend) {
    const own = this;
    const get = backend.getInputTensorIds;
    replace(backend, 'getInputTensorIds', function getInputTensorIds(tensors) {
      let late = false;
      for (let i = 0; i < tensors.length && !late; i++) {
        const { dataId } = tensors[i];
        late = dataId !== undefined && !own.isHere(dataId);
      }
      if (!late) return get.call(this, tensors);
      const ids = own.quietly(() => get.call(this, tensors));
      for (let i = 0; i < tensors.length; i++) if (tensors[i].dataId) own.arrived(tensors[i].dataId);
      own.watch.count();
      return ids;
    });
  }
}

// Undefined: another kind of backend, or an unknown version.
exports.of = (watch, backend) => {
  if (!backend || !backend.binding || typeof backend.binding.getNumOfTensors !== 'function'
      || typeof backend.getInputTensorIds !== 'function'
      || !backend.tensorMap || !(backend.tensorMap.data instanceof WeakMap)) return undefined;
  return new NativeTensors(watch, backend);
};
