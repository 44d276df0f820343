// Keeps a Buffer at every turn, by functions whose names the page must show.
const seen = new Map();
function fetchBatch(n) { return Buffer.alloc(40000 + n % 7, 1); }
function remember(n, batch) { seen.set('batch-' + n, { batch, labels: new Array(200).fill(n) }); }
let n = 0;
function step() {
  remember(n, fetchBatch(n));
  if (++n < 400) setTimeout(step, 4);
}
step();
