const memo = new Map();

function infer(shape) {
  const key = `${shape.width}x${shape.height}x${shape.step}`;
  const known = memo.get(key);
  if (known) return known;
  const result = { shape, scores: new Array(400).fill(shape.width) };
  memo.set(key, result);
  if (memo.size > 100) memo.delete(memo.keys().next().value);
  return result;
}

let turn = 0;
(function next() {
  infer({ width: turn % 7, height: 3, step: turn });
  if (++turn < 900) setTimeout(next, 4);
})();
