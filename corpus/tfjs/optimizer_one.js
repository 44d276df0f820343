const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  const weights = tf.variable(tf.randomNormal([64, 128]));
  const input = tf.randomNormal([16, 64]);
  const optimizer = tf.train.adam(0.01);
  for (let step = 0; step < 600; step++) {
    optimizer.minimize(() => input.matMul(weights).square().mean());
    await tf.nextFrame();
  }
  optimizer.dispose();
}

main();
