const { PassThrough } = require('stream');

const feeds = new Set();

function open(id) {
  const feed = new PassThrough({ highWaterMark: 1 << 20 });
  feed.on('end', () => feeds.delete(feed));
  feeds.add(feed);
  feed.resume();
  feed.end(Buffer.alloc(32768, id % 256));
}

let turn = 0;
(function next() {
  open(turn);
  if (++turn < 700) setTimeout(next, 4);
})();
