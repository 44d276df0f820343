// Predictions of a small model of TensorFlow.js on the processor, some 0.2 ms each.
//
//     tfjs_predict.cjs STEPS
//
// Prints nanoseconds of processor time per prediction, after a warm-up of a fifth.
'use strict';

const tf = require('@tensorflow/tfjs');
const { spent } = require('./spent.cjs');

const steps = Number(process.argv[2]);
const dense = (units, activation, inputShape) => tf.layers.dense({ units, activation, inputShape });

async function main() {
  await tf.setBackend('cpu');
  const model = tf.sequential({ layers: [dense(32, 'relu', [16]), dense(32, 'relu'), dense(4, 'softmax')] });
  const inputs = tf.randomNormal([4, 16], 0, 1, 'float32', 1);
  const predict = async (count) => {
    for (let i = 0; i < count; i++) {
      tf.tidy(() => model.predict(inputs).dataSync());
      if (i % 8 === 0) await new Promise((done) => setImmediate(done));
    }
  };
  await predict(steps / 5);
  await spent(steps, () => predict(steps));
}

main();
