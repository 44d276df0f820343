const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  let total = 0;
  for (let i = 0; i < 400; i++) {
    const x = tf.ones([64, 256]);
    const y = x.add(i);
    total += y.size;
    await tf.nextFrame();
  }
  console.log(total);
}

main();
