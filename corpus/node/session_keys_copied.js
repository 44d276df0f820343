const keys = [];

function login(user) {
  let key = null;
  for (let i = 0; i < 40; i++) key = Buffer.from(`${user}:${i}:`.padEnd(200, 'k'));
  const copy = Buffer.alloc(16);
  key.copy(copy, 0, 0, 16);
  keys.push(copy);
}

let turn = 0;
(function next() {
  login(turn);
  if (++turn < 900) setTimeout(next, 4);
})();
