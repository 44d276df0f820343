const tf = require('./shared/backend');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function attend(length) {
  return tf.tidy(() => {
    const tokens = tf.ones([length, 64]);
    return tokens.mul(0.5).sum().shape;
  });
}

async function main() {
  await tf.ready();
  for (let i = 0; i < 600; i++) {
    const length = 1 + (i * 37) % 600;
    attend(32 * Math.ceil(length / 32));
    await sleep(2);
  }
}

main();
