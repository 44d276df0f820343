const tf = require('./shared/backend');

function makeModel() {
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [32], units: 64, activation: 'relu' }));
  model.add(tf.layers.dense({ units: 128 }));
  return model;
}

async function main() {
  await tf.ready();
  const model = makeModel();
  const frame = tf.zeros([64, 32]);
  let best = 0;
  for (let i = 0; i < 1200; i++) {
    best = Math.max(best, tf.tidy(() => model.predict(frame).dataSync()[0]));
    await tf.nextFrame();
  }
  console.log(best);
}

main();
