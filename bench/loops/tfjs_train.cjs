// A small training loop of TensorFlow.js on the processor: four dense layers, some 3 ms for each batch.
//
//     tfjs_train.cjs STEPS
//
// Prints nanoseconds of processor time per step, after a warm-up of a fifth.
'use strict';

const tf = require('@tensorflow/tfjs');
const { spent } = require('./spent.cjs');

const steps = Number(process.argv[2]);
const dense = (units, activation, inputShape) => tf.layers.dense({ units, activation, inputShape });

async function main() {
  await tf.setBackend('cpu');
  const model = tf.sequential({ layers: [dense(32, 'relu', [16]), dense(32, 'relu'), dense(32, 'relu'), dense(1)] });
  const optimizer = tf.train.adam(1e-3);
  const inputs = tf.randomNormal([32, 16], 0, 1, 'float32', 1), targets = tf.randomNormal([32, 1], 0, 1, 'float32', 2);
  const train = async (count) => {
    for (let i = 0; i < count; i++) {
      optimizer.minimize(() => tf.losses.meanSquaredError(targets, model.apply(inputs, { training: true })));
      if (i % 8 === 0) await new Promise((done) => setImmediate(done));
    }
  };
  await train(steps / 5);
  await spent(steps, () => train(steps));
}

main();
