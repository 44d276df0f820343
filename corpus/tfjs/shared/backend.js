// The backend that the programs run on: cpu, wasm or tensorflow (tfjs-node, which is the default).
require('./compat.cjs');
const backend = process.env.BACKEND || 'tensorflow';
const tf = require(backend === 'tensorflow' ? '@tensorflow/tfjs-node' : '@tensorflow/tfjs');
if (backend === 'wasm') require('@tensorflow/tfjs-backend-wasm');
tf.setBackend(backend);
module.exports = tf;
