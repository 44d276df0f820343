const tf = require('./shared/backend');

async function main() {
  await tf.ready();
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [8], units: 4 }));
  model.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
  const xs = tf.ones([16, 8]);
  const ys = tf.zeros([16, 4]);
  let saved = 0;
  for (let epoch = 0; epoch < 120; epoch++) {
    await model.fit(xs, ys, { epochs: 1, verbose: 0 });
    await model.save(tf.io.withSaveHandler(async () => {
      saved++;
      return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: 'JSON' } };
    }), { includeOptimizer: true });
  }
  console.log(saved);
}

main();
