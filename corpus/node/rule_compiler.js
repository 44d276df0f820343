const sources = Array.from({ length: 120 }, (_, i) => `return (a * ${i} + b) % ${i + 3} === ${i % 5};`);
const rules = sources.map((source) => new Function('a', 'b', source));

let matched = 0;

function handle(step) {
  for (const rule of rules.slice(0, 1 + (step >> 2))) {
    for (let i = 0; i < 20; i++) matched += rule(step, i) ? 1 : 0;
  }
}

let turn = 0;
(function next() {
  handle(turn);
  if (++turn < 900) setTimeout(next, 4);
})();
