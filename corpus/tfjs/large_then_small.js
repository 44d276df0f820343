const tf = require('./shared/backend');

function measure(rows) {
  return tf.tidy(() => tf.ones([rows, rows]).add(1).mean().dataSync()[0]);
}

async function main() {
  await tf.ready();
  let total = 0;
  for (let i = 0; i < 10; i++) total += measure(1024);
  for (let i = 0; i < 1000; i++) {
    total += measure(64);
    await tf.nextFrame();
  }
  console.log(total);
}

main();
