const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  for (let i = 0; i < 300; i++) {
    const model = tf.sequential();
    model.add(tf.layers.dense({ inputShape: [32], units: 64, activation: 'relu' }));
    model.add(tf.layers.dense({ units: 10 }));
    model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    model.dispose();
    await tf.nextFrame();
  }
}

main();
