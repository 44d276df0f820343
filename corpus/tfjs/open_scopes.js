const tf = require('./shared/backend');

function score(step) {
  tf.engine().startScope();
  const x = tf.ones([64, 256]);
  const y = x.mul(step);
  if (y.size > 1000) return y.size;
  tf.engine().endScope();
  return 0;
}

async function main() {
  await tf.ready();
  for (let step = 0; step < 300; step++) {
    score(step);
    await tf.nextFrame();
  }
}

main();
