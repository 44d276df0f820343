const tf = require('./shared/backend');

function brighten(pixels) {
  return tf.tidy(() => {
    const frame = tf.tensor1d(pixels);
    return frame.mul(1.2);
  });
}

async function main() {
  await tf.ready();
  const pixels = new Float32Array(16384).fill(1);
  for (let i = 0; i < 6000; i++) {
    const bright = brighten(pixels);
    bright.dispose();
    if (i % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

main();
