const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  const weights = tf.variable(tf.ones([64, 256]));
  for (let step = 0; step < 1000; step++) {
    tf.tidy(() => {
      weights.assign(weights.mul(0.5).add(1));
    });
    await tf.nextFrame();
  }
  weights.dispose();
}

main();
