const frames = require('frames.node');

let total = 0;

function measure(size) {
  total += frames.mean(size);
}

let turn = 0;
(function next() {
  measure(2000);
  if (++turn < 700) setTimeout(next, 4);
})();
