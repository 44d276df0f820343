const ort = require('onnxruntime-node');
const file = require('./shared/model')(256);

async function classify(rows) {
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
  const features = new ort.Tensor('float32', new Float32Array(rows * 256).fill(0.5), [rows, 256]);
  const { scores } = await session.run({ features });
  await session.release();
  return scores.data[0];
}

async function main() {
  for (let request = 0; request < 250; request++) {
    await classify(4);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

main();
