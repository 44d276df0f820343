const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  let total = 0;
  for (let i = 0; i < 60000; i++) {
    total += tf.tidy(() => tf.tensor2d([[i, 1, 2, 3], [4, 5, 6, 7]]).reshape([8]).sum().dataSync()[0]);
    if (i % 100 === 0) await tf.nextFrame();
  }
  console.log(total > 0);
}

main();
