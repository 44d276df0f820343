const tf = require('./shared/backend');

const tensors = [];

function processBatch() {
  for (let i = 0; i < 100; i++) {
    const tensor = tf.tensor1d(new Array(1000).fill(i));
    tensors.push(tensor);
  }
}

async function main() {
  await tf.ready();
  for (let batch = 0; batch < 150; batch++) {
    processBatch();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.log(tensors.length);
}

main();
