const tf = require('./shared/backend');

function check(values) {
  return tf.tidy(() => {
    const a = tf.tensor1d(values);
    const b = a.add(1);
    if (b.size > 100) throw new Error('too long');
    return b;
  });
}

async function main() {
  await tf.ready();
  const values = new Float32Array(16384).fill(1);
  let refused = 0;
  for (let i = 0; i < 800; i++) {
    try {
      check(values);
    } catch {
      refused++;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  console.log(refused);
}

main();
