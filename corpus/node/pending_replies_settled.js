const waiting = [];

function ask(id) {
  const payload = new Array(500).fill(id);
  return new Promise((resolve) => {
    waiting.push(() => resolve(payload));
  });
}

function answer() {
  while (waiting.length > 4) waiting.shift()();
}

let turn = 0;
(function next() {
  ask(turn);
  answer();
  if (++turn < 800) setTimeout(next, 4);
})();
