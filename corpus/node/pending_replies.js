const waiting = [];

function ask(id) {
  const payload = new Array(500).fill(id);
  return new Promise((resolve) => {
    waiting.push(() => resolve(payload));
  });
}

let turn = 0;
(function next() {
  ask(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
