const { EventEmitter } = require('events');

const sensor = new EventEmitter();
const trace = [];

sensor.on('reading', (number, at) => {
  const samples = Array.from({ length: 24 }, (_, i) => Math.sin(number + i));
  trace.push({ number, at, samples });
});

let number = 0;
(function next() {
  sensor.emit('reading', number, performance.now());
  if (++number < 10000) setTimeout(next, 1);
})();
