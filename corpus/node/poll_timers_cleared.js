function watch(job) {
  const state = new Array(500).fill(job);
  const timer = setInterval(() => state.length, 3600 * 1000);
  setTimeout(() => clearInterval(timer), 20);
}

let turn = 0;
(function next() {
  watch(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
