const { Writable } = require('stream');

const sink = new Writable({
  write(chunk, encoding, done) {
    setTimeout(done, 4);
  },
});

function report(id) {
  const line = Buffer.alloc(16384, id % 256);
  return sink.write(line);
}

let turn = 0;
(function next() {
  const room = report(turn);
  if (++turn === 500) return;
  if (room) setTimeout(next, 4);
  else sink.once('drain', next);
})();
