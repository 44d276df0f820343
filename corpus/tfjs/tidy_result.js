const tf = require('./shared/backend');

async function addVectors(left, right) {
  return tf.tidy(() => {
    const a = tf.tensor1d(left);
    const b = tf.tensor1d(right);
    return tf.add(a, b);
  });
}

async function main() {
  await tf.ready();
  const left = new Float32Array(16384).fill(1);
  const right = new Float32Array(16384).fill(4);
  for (let i = 0; i < 800; i++) {
    const result = await addVectors(left, right);
    await new Promise((resolve) => setTimeout(resolve, 2));
    result.dispose();
  }
}

main();
