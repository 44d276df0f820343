const frames = require('frames.node');

function watch(id) {
  const seen = new Array(500).fill(id);
  frames.listen(() => seen.length);
}

let turn = 0;
(function next() {
  watch(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
