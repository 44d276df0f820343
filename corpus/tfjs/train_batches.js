const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [32], units: 64, activation: 'relu' }));
  model.add(tf.layers.dense({ units: 1 }));
  model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
  const xs = tf.randomNormal([64, 32]);
  const ys = tf.zeros([64, 1]);
  let loss = 0;
  for (let step = 0; step < 300; step++) loss = await model.trainOnBatch(xs, ys);
  console.log(loss < 1);
}

main();
