// Requests, a pool, streams and an abort.
const { request, Pool, fetch, stream } = require('undici');
const { PassThrough } = require('stream');
const http = require('http');
const server = http.createServer((req, res) => {
  if (req.url === '/never') return;
  let size = 0;
  req
    .on('data', (part) => {
      size += part.length;
    })
    .on('end', () => {
      res.setHeader('x-size', size);
      res.end(`${req.method} ${req.url} `.repeat(20));
    });
});
server.listen(0, async () => {
  const at = `http://127.0.0.1:${server.address().port}`;
  const pool = new Pool(at, { connections: 3 });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      pool
        .request({ path: `/p${i}`, method: 'PUT', body: Buffer.alloc(i * 500) })
        .then(async (r) => [r.statusCode, r.headers['x-size'], (await r.body.text()).length].join(' ')),
    ),
  );
  console.log(answers.join('\n'));
  console.log((await (await request(at + '/one')).body.text()).slice(0, 8));
  console.log((await (await fetch(at + '/two', { method: 'POST', body: 'abc' })).arrayBuffer()).byteLength);
  let piped = 0;
  await stream(at + '/three', { opaque: 1 }, () =>
    new PassThrough().on('data', (d) => {
      piped += d.length;
    }),
  );
  console.log(piped);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 30);
  await request(at + '/never', { signal: abort.signal }).catch((error) => console.log(error.name));
  await pool.close();
  server.close();
  server.closeAllConnections();
});
