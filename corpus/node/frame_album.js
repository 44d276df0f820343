const frames = require('frames.node');

const album = [];

function show(size) {
  const frame = frames.open(size);
  album.push(frame);
}

let turn = 0;
(function next() {
  show(4000);
  if (++turn < 700) setTimeout(next, 4);
})();
