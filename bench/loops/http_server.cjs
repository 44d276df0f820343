// A server of HTTP under load: JSON in, JSON out. The client is another process, without a profiler.
//
//     http_server.cjs REQUESTS
//
// Prints nanoseconds of the server's processor time per request, after a warm-up of a fifth.
'use strict';

const http = require('http');
const { spawn } = require('child_process');
const { spent } = require('./spent.cjs');

const requests = Number(process.argv[2]);

const server = http.createServer((req, res) => {
  const parts = [];
  req.on('data', (part) => parts.push(part));
  req.on('end', () => {
    const { rows } = JSON.parse(Buffer.concat(parts));
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ rows: rows.map((row) => ({ ...row, sum: row.a + row.b })) }));
  });
});

const body = JSON.stringify({ rows: Array.from({ length: 20 }, (_, i) => ({ a: i, b: i * i, name: `row ${i}` })) });

function ask(count) {
  const { LD_PRELOAD, NODE_OPTIONS, TARE_DIR, ...env } = process.env;
  const words = [require.resolve('autocannon'), '-c', '20', '-a', String(count), '-m', 'POST', '-b', body,
    '--no-progress', `http://127.0.0.1:${server.address().port}`];
  const asking = spawn(process.execPath, words, { env, stdio: 'ignore' });
  return new Promise((done, failed) => asking.on('exit', (code) => (code === 0 ? done() : failed(new Error(code)))));
}

server.listen(0, '127.0.0.1', async () => {
  await ask(requests / 5);
  await spent(requests, () => ask(requests));
  server.close();
});
