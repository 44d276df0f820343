const tf = require('./shared/backend');

function makeModel() {
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [64], units: 8 }));
  model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
  return model;
}

async function main() {
  await tf.ready();
  const model = makeModel();
  for (let round = 0; round < 240; round++) {
    const xs = tf.randomNormal([128, 64]);
    const ys = tf.zeros([128, 8]);
    await model.fit(xs, ys, { epochs: 1, batchSize: 64, verbose: 0 });
    tf.dispose([xs, ys]);
  }
}

main();
