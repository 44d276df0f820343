const tf = require('./shared/backend');

function score(step) {
  tf.engine().startScope();
  try {
    const x = tf.ones([64, 256]);
    const y = x.mul(step);
    return y.size;
  } finally {
    tf.engine().endScope();
  }
}

async function main() {
  await tf.ready();
  for (let step = 0; step < 1000; step++) {
    score(step);
    await tf.nextFrame();
  }
}

main();
