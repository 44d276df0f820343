const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  let state = tf.zeros([64, 256]);
  for (let step = 0; step < 500; step++) {
    state = state.add(1);
    await tf.nextFrame();
  }
  state.dispose();
}

main();
