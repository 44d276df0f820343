const shutdown = new AbortController();
const { signal } = shutdown;
require('events').setMaxListeners(0, signal);

function fetchRows(id) {
  const rows = new Array(500).fill(id);
  signal.addEventListener('abort', () => rows.fill(0));
  return rows.length;
}

let turn = 0;
(function next() {
  fetchRows(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
