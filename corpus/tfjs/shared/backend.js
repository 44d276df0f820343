// The backend that the programs run on: cpu, wasm, webgpu or tensorflow (tfjs-node, which is the default).
require('./compat.cjs');
const backend = process.env.BACKEND || 'tensorflow';
if (backend === 'webgpu') require('./gpu');
const tf = require(backend === 'tensorflow' ? '@tensorflow/tfjs-node' : '@tensorflow/tfjs');
if (backend === 'wasm' || backend === 'webgpu') require(`@tensorflow/tfjs-backend-${backend}`);
tf.setBackend(backend);
module.exports = tf;
