const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  const large = [];
  for (let i = 0; i < 10; i++) large.push(tf.ones([1024, 1024]).add(i));
  tf.dispose(large);
  for (let i = 0; i < 1000; i++) {
    tf.tidy(() => tf.ones([64, 64]).add(i));
    await tf.nextFrame();
  }
}

main();
