const tf = require('./shared/backend');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function normalise(values) {
  await sleep(2);
  return tf.tidy(() => {
    const a = tf.tensor1d(values);
    const b = a.sub(1);
    return b.dataSync()[0];
  });
}

async function main() {
  await tf.ready();
  const values = new Float32Array(16384).fill(1);
  for (let i = 0; i < 800; i++) await normalise(values);
}

main();
