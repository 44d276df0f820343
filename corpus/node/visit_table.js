const visits = {};

function record(user, page) {
  visits[`${user}-${page}`] = { user, page, trail: new Array(300).fill(page) };
}

let turn = 0;
(function next() {
  record('u' + (turn % 50), turn);
  if (++turn < 900) setTimeout(next, 4);
})();
