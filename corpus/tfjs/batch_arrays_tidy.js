const tf = require('./shared/backend');

function processBatch() {
  const means = [];
  for (let i = 0; i < 300; i++) {
    tf.tidy(() => {
      const tensor = tf.tensor1d(new Array(1000).fill(i));
      means.push(tensor.mean().dataSync()[0]);
    });
  }
  return means;
}

async function main() {
  await tf.ready();
  for (let batch = 0; batch < 120; batch++) {
    processBatch();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

main();
