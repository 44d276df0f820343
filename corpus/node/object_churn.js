let total = 0;

function handle(step) {
  const rows = [];
  for (let i = 0; i < 400; i++) rows.push({ id: i, name: `row ${step}-${i}`, values: [i, step, i * step] });
  total += rows.filter((row) => row.values[2] % 3 === 0).length;
}

let turn = 0;
(function next() {
  handle(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
