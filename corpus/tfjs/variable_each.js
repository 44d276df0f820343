const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  for (let step = 0; step < 400; step++) {
    tf.tidy(() => {
      const weights = tf.variable(tf.ones([64, 256]));
      weights.assign(weights.mul(2));
    });
    await tf.nextFrame();
  }
}

main();
