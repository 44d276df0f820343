const tf = require('./shared/backend');

function buildMask(step) {
  const rows = tf.range(0, 128).expandDims(1);
  const columns = tf.range(0, 128).expandDims(0);
  return rows.greater(columns.add(step % 16)).toFloat();
}

async function main() {
  await tf.ready();
  for (let step = 0; step < 400; step++) {
    tf.tidy(() => buildMask(step));
    await tf.nextFrame();
  }
}

main();
