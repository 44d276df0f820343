let latest = null;

function submit(id) {
  latest = { before: latest, id, output: new Array(350).fill(id) };
}

let turn = 0;
(function next() {
  submit(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
