function watch(job) {
  const state = new Array(500).fill(job);
  setInterval(() => state.length, 3600 * 1000);
}

let turn = 0;
(function next() {
  watch(turn);
  if (++turn < 800) setTimeout(next, 4);
  else process.exit(0);
})();
