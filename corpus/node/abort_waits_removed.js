const shutdown = new AbortController();
const { signal } = shutdown;
require('events').setMaxListeners(0, signal);

function fetchRows(id) {
  const rows = new Array(500).fill(id);
  const stop = () => rows.fill(0);
  signal.addEventListener('abort', stop);
  setTimeout(() => signal.removeEventListener('abort', stop), 10);
}

let turn = 0;
(function next() {
  fetchRows(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
