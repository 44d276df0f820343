const ort = require('onnxruntime-node');
const file = require('./shared/model')(256);

const history = [];

async function classify(session, rows) {
  const features = new ort.Tensor('float32', new Float32Array(rows * 256).fill(0.5), [rows, 256]);
  const results = await session.run({ features });
  history.push(results);
  return results.scores.dims[0];
}

async function main() {
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
  for (let request = 0; request < 500; request++) {
    await classify(session, 32);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

main();
