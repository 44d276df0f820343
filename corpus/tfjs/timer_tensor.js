const tf = require('./shared/backend');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function work(values) {
  const a = tf.tensor1d(values);
  await sleep(2);
  return a.shape;
}

async function main() {
  await tf.ready();
  const values = new Float32Array(16384).fill(1);
  for (let i = 0; i < 800; i++) await work(values.slice());
}

main();
