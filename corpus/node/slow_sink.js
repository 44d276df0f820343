const { Writable } = require('stream');

const sink = new Writable({
  write(chunk, encoding, done) {
    setTimeout(done, 400);
  },
});

function report(id) {
  const line = Buffer.alloc(16384, id % 256);
  sink.write(line);
}

let turn = 0;
(function next() {
  report(turn);
  if (++turn < 700) setTimeout(next, 4);
  else process.exit(0);
})();
