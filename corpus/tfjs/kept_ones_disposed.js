const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  for (let step = 0; step < 1000; step++) {
    let scale;
    tf.tidy(() => {
      scale = tf.keep(tf.ones([64, 256]).mul(step));
      scale.sum();
    });
    scale.dispose();
    await tf.nextFrame();
  }
}

main();
