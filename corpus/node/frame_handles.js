const frames = require('frames.node');

let shown = null;

function show(size) {
  shown = frames.open(size);
}

let turn = 0;
(function next() {
  show(16000);
  if (++turn < 700) setTimeout(next, 4);
})();
