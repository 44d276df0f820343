const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  let total = 0;
  for (let i = 0; i < 1500; i++) {
    total += tf.tidy(() => tf.ones([64, 256]).add(i).mean().dataSync()[0]);
    await tf.nextFrame();
  }
  console.log(total);
}

main();
