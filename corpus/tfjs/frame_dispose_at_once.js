const tf = require('./shared/backend');

function processFrame(i) {
  const tensor = tf.tensor1d(new Array(1000).fill(i));
  const sum = tensor.sum();
  sum.dispose();
  tensor.dispose();
}

async function main() {
  await tf.ready();
  for (let i = 0; i < 15000; i++) processFrame(i);
}

main();
