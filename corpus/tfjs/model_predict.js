const tf = require('./shared/backend');
const { save } = require('./shared/saved');

async function classify(saved) {
  const input = tf.ones([16, 64]);
  const model = await tf.loadLayersModel(saved);
  const result = model.predict(input);
  model.dispose();
  input.dispose();
  return result.shape;
}

async function main() {
  await tf.ready();
  const saved = await save(64, 64);
  for (let i = 0; i < 300; i++) await classify(saved);
}

main();
