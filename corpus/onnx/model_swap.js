const ort = require('onnxruntime-node');
const model = require('./shared/model');

const files = [model(128, 2), model(256, 3), model(384, 1)];

async function serve(turn) {
  const session = await ort.InferenceSession.create(files[turn % 3], { intraOpNumThreads: 1 });
  const width = [128, 256, 384][turn % 3];
  const features = new ort.Tensor('float32', new Float32Array(8 * width).fill(0.5), [8, width]);
  await session.run({ features });
  await session.release();
}

async function main() {
  for (let turn = 0; turn < 250; turn++) {
    await serve(turn);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

main();
