const tf = require('./shared/backend');

function* rows() {
  for (let i = 0; i < 256; i++) yield new Float32Array(256).fill(i);
}

async function main() {
  await tf.ready();
  let batches = 0;
  for (let pass = 0; pass < 40; pass++) {
    const dataset = tf.data.generator(rows).batch(32);
    await dataset.forEachAsync(() => {
      batches++;
    });
  }
  console.log(batches);
}

main();
