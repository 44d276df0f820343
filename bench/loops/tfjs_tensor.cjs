// Tensors of TensorFlow.js, made and disposed at once.
//
//     tfjs_tensor.cjs TENSORS
//
// Prints nanoseconds of processor time per tensor, after a warm-up of a fifth.
'use strict';

const tf = require('@tensorflow/tfjs');
const { spent } = require('./spent.cjs');

const count = Number(process.argv[2]);
const values = new Float32Array(16);

function work(turns) {
  for (let i = 0; i < turns; i++) tf.tensor1d(values).dispose();
}

tf.setBackend('cpu').then(async () => {
  work(count / 5);
  await spent(count, () => work(count));
});
