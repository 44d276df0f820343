const tf = require('./shared/backend');
const { save } = require('./shared/saved');

async function classify(model) {
  const input = tf.ones([16, 64]);
  const result = model.predict(input);
  const values = await result.data();
  result.dispose();
  input.dispose();
  return values[0];
}

async function main() {
  await tf.ready();
  const model = await tf.loadLayersModel(await save(64, 64));
  for (let i = 0; i < 1500; i++) await classify(model);
  model.dispose();
}

main();
