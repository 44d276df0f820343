const { AsyncLocalStorage } = require('async_hooks');

const context = new AsyncLocalStorage();
const open = [];

function serve(id) {
  context.run({ id, trace: new Array(400).fill(id) }, () => {
    open.push(new Promise((resolve) => setTimeout(resolve, 20)));
    open.at(-1).then(() => open.shift());
  });
}

let turn = 0;
(function next() {
  serve(turn);
  if (++turn < 800) setTimeout(next, 4);
})();
