const heads = [];

function receive(size) {
  const packet = Buffer.alloc(size, 1);
  heads[0] = Buffer.from(packet.subarray(0, 16));
}

let turn = 0;
(function next() {
  receive(65536);
  if (++turn < 700) setTimeout(next, 4);
})();
