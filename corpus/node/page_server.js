const http = require('http');

const recent = [];

function remember(request) {
  recent.push({ url: request.url, headers: { ...request.headers }, body: new Array(300).fill(0) });
}

const server = http.createServer((request, response) => {
  remember(request);
  response.end('ok');
});

function ask(left) {
  if (left === 0) {
    server.close();
    return;
  }
  http.get({ port: server.address().port, path: `/page/${left}`, agent: false }, (response) => {
    response.resume();
    response.on('end', () => setTimeout(ask, 2, left - 1));
  });
}

server.listen(0, '127.0.0.1', () => ask(1600));
