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
  for (let length = 1; length <= 600; length++) {
    attend(length);
    await sleep(2);
  }
}

main();
