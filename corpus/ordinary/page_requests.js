// A web server: it starts, answers four hundred requests and closes.
'use strict';
const http = require('http');

function render(path) {
  const rows = [];
  for (let i = 0; i < 200; i++) rows.push(`<li>${path} ${i * i % 97}</li>`);
  return `<ul>${rows.join('')}</ul>`;
}

function ask(port, path) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path }, (reply) => {
      let size = 0;
      reply.on('data', (part) => { size += part.length; });
      reply.on('end', () => resolve(size));
    }).on('error', reject);
  });
}

const server = http.createServer((request, reply) => reply.end(render(request.url)));
server.listen(0, '127.0.0.1', async () => {
  let total = 0;
  for (let i = 0; i < 400; i++) total += await ask(server.address().port, `/page/${i}`);
  console.log(total, 'bytes');
  server.close();
});
