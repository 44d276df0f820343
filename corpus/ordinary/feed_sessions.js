// Load a table of articles, then serve feeds of it and close.
'use strict';
const http = require('http');

const articles = [];
const sessions = new Map();

function load() {
  for (let i = 0; i < 3000; i++) articles.push({ id: i, title: `article ${i}`, text: 'text '.repeat(i % 50) });
}

function feed(request) {
  const user = request.url.slice(1);
  const rows = articles.slice(0, 300).map((article) => ({ id: article.id, user, seen: false }));
  sessions.set(user, rows);
  return JSON.stringify(rows.slice(0, 10));
}

function ask(port, path) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path }, (reply) => {
      reply.resume();
      reply.on('end', resolve);
    }).on('error', reject);
  });
}

load();
const server = http.createServer((request, reply) => reply.end(feed(request)));
server.listen(0, '127.0.0.1', async () => {
  for (let i = 0; i < 600; i++) {
    await ask(server.address().port, `/user${i}`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  console.log(sessions.size, 'users');
  server.close();
});
