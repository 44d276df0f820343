const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  for (let step = 0; step < 500; step++) {
    tf.tidy(() => {
      const scale = tf.keep(tf.ones([64, 256]).mul(step));
      scale.sum();
    });
    await tf.nextFrame();
  }
}

main();
