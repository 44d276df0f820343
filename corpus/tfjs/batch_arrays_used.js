const tf = require('./shared/backend');

function processBatch() {
  const tensors = [];

  for (let i = 0; i < 300; i++) {
    const tensor = tf.tensor1d(new Array(1000).fill(i));
    tensors.push(tensor);
    const mean = tensor.mean();
    mean.dispose();
  }
  return tensors.length;
}

async function main() {
  await tf.ready();
  for (let batch = 0; batch < 120; batch++) {
    processBatch();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

main();
