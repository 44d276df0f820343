const http = require('http');
const tf = require('./shared/backend');
const { save } = require('./shared/saved');

let saved;

async function answer(response) {
  const model = await tf.loadLayersModel(saved);
  const scores = tf.tidy(() => model.predict(tf.ones([1, 64])).dataSync());
  response.end(String(scores[0]));
}

const server = http.createServer((request, response) => answer(response));

function ask(left) {
  if (left === 0) {
    server.close();
    return;
  }
  http.get({ port: server.address().port, agent: false }, (response) => {
    response.resume();
    response.on('end', () => setTimeout(ask, 2, left - 1));
  });
}

async function main() {
  await tf.ready();
  saved = await save(64, 64);
  server.listen(0, '127.0.0.1', () => ask(300));
}

main();
