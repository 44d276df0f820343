let total = 0;

function handle(step) {
  const values = new Float32Array(65536);
  values[step] = step;
  total += values[step];
}

let turn = 0;
(function next() {
  handle(turn);
  if (++turn < 1000) setTimeout(next, 4);
})();
