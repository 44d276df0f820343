const ort = require('onnxruntime-node');
const file = require('./shared/model')(192);

const sessions = new Map();

async function sessionOf(tenant) {
  const known = sessions.get(tenant);
  if (known) return known;
  const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
  sessions.set(tenant, session);
  return session;
}

async function classify(tenant) {
  const session = await sessionOf(tenant);
  const features = new ort.Tensor('float32', new Float32Array(192).fill(0.5), [1, 192]);
  const { scores } = await session.run({ features });
  return scores.data[0];
}

async function main() {
  for (let request = 0; request < 250; request++) {
    await classify(`tenant-${request}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

main();
