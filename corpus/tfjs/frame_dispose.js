const tf = require('./shared/backend');

async function processFrame(i) {
  const tensor = tf.tensor1d(new Array(1000).fill(i));
  await tf.nextFrame();
  tensor.dispose();
}

async function main() {
  await tf.ready();
  for (let i = 0; i < 6000; i++) await processFrame(i);
}

main();
