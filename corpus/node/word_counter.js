function makeCounter() {
  const seen = [];
  return function count(words) {
    seen.push(words.map((word) => word.toUpperCase() + words.length));
    return words.length;
  };
}

const count = makeCounter();

let turn = 0;
(function next() {
  count(Array.from({ length: 60 }, (_, i) => `word${turn * i}`));
  if (++turn < 800) setTimeout(next, 4);
})();
