const frames = require('frames.node');

async function upload(size) {
  await Promise.all([1, 2, 3, 4].map(() => frames.scale(size)));
}

async function main() {
  for (let i = 0; i < 60; i++) await upload(60000 + 400 * (i % 25));
  for (let i = 0; i < 300; i++) await new Promise((resolve) => setTimeout(resolve, 3));
}

main();
