const table = new Map();
for (let i = 0; i < 20000; i++) table.set(`key${i}`, { index: i, weights: [i, i + 1, i + 2] });

let hits = 0;

function handle(step) {
  const entry = table.get(`key${(step * 7919) % 20000}`);
  hits += entry.weights.map((weight) => weight * 2).length;
}

let turn = 0;
(function next() {
  handle(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
