const EventEmitter = require('events');

const feed = new EventEmitter();
feed.setMaxListeners(0);

function handle(request) {
  const rows = new Array(600).fill(request);
  feed.on('tick', () => rows.length);
  return feed.listenerCount('tick');
}

let turn = 0;
(function next() {
  handle(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
