const keys = [];

function login(user) {
  let key = null;
  for (let i = 0; i < 40; i++) key = Buffer.from(`${user}:${i}:`.padEnd(200, 'k'));
  keys.push(key.subarray(0, 16));
}

let turn = 0;
(function next() {
  login(turn);
  if (++turn < 900) setTimeout(next, 4);
})();
