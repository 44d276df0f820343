"""What the tests of TensorFlow.js share: how a program begins."""
HEAD = """const tf = require('@tensorflow/tfjs');
const backend = process.env.BACKEND;
if (backend === 'wasm') require('@tensorflow/tfjs-backend-wasm');
const pause = () => new Promise((done) => setTimeout(done, 1));
async function main() { await tf.setBackend(backend); await tf.ready(); await work(); }
main();
"""
