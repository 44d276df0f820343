// A small trained model as a file on disk would give it.
const tf = require('./backend');

exports.save = async (inputs, units) => {
  const model = tf.sequential();
  model.add(tf.layers.dense({ inputShape: [inputs], units, activation: 'relu' }));
  model.add(tf.layers.dense({ units }));
  let parts;
  await model.save(tf.io.withSaveHandler(async (artifacts) => {
    parts = artifacts;
    return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: 'JSON' } };
  }));
  model.dispose();
  return tf.io.fromMemory(parts);
};
