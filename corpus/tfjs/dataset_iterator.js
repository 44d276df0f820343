const tf = require('./shared/backend');

function* rows() {
  for (let i = 0; i < 256; i++) yield new Float32Array(512).fill(i);
}

async function readAll(dataset) {
  const iterator = await dataset.iterator();
  let batches = 0;
  for (let item = await iterator.next(); !item.done; item = await iterator.next()) {
    const middle = item.value.mean();
    middle.dispose();
    batches++;
  }
  return batches;
}

async function main() {
  await tf.ready();
  const dataset = tf.data.generator(rows).batch(32);
  for (let pass = 0; pass < 40; pass++) await readAll(dataset);
}

main();
