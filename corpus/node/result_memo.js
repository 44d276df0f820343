const memo = new Map();

function infer(shape) {
  const known = memo.get(shape);
  if (known) return known;
  const result = { shape, scores: new Array(400).fill(shape.width) };
  memo.set(shape, result);
  return result;
}

let turn = 0;
(function next() {
  infer({ width: turn % 7, height: 3 });
  if (++turn < 900) setTimeout(next, 4);
})();
