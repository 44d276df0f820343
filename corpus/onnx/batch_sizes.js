const ort = require('onnxruntime-node');
const file = require('./shared/model')(256, 3);

async function classify(session, rows) {
  const features = new ort.Tensor('float32', new Float32Array(rows * 256).fill(0.5), [rows, 256]);
  const { scores } = await session.run({ features });
  return scores.data[0];
}

async function main() {
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
  for (let pass = 0; pass < 2; pass++) {
    for (let rows = 1; rows <= 300; rows++) {
      await classify(session, rows);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

main();
