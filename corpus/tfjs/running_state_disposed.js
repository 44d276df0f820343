const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  let state = tf.zeros([64, 256]);
  for (let step = 0; step < 1500; step++) {
    const next = state.add(1);
    state.dispose();
    state = next;
    await tf.nextFrame();
  }
  state.dispose();
}

main();
