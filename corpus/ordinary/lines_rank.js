// Read lines into a table, then rank its pages in sixty rounds.
'use strict';
let state = 47;
function random() {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state / 2147483648;
}

const pages = [];
for (let i = 0; i < 150; i++) {
  const links = [];
  for (let k = 0; k < 200; k++) links.push({ to: Math.floor(random() * 150), text: `link ${i} ${k}` });
  pages.push(links);
}

async function main() {
  let rank = new Float64Array(150).fill(1 / 150);
  for (let round = 0; round < 60; round++) {
    const next = new Float64Array(150).fill(0.15 / 150);
    for (let turn = 0; turn < 20; turn++) {
      pages.forEach((links, from) => {
        for (const link of links) next[link.to] += 0.85 * rank[from] / links.length / 20;
      });
    }
    rank = next;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.log(Math.max(...rank).toFixed(5));
}

main();
