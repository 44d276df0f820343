// Routes, bodies, errors and files, asked for by Node's own fetch.
const express = require('express');
const app = express();
app.use(express.json());
app.get('/hello/:name', (req, res) => res.send(`hello ${req.params.name} ${req.query.n || 0}`));
app.post('/sum', (req, res) => res.json({ sum: req.body.reduce((a, b) => a + b, 0) }));
app.use('/files', express.static(__dirname));
app.get('/throws', () => {
  throw new Error('mine');
});
app.get('/rejects', async () => {
  await null;
  throw new TypeError('later');
});
app.use((error, req, res, next) => res.status(500).send(`${error.name}: ${error.message}`));
const server = app.listen(0, async () => {
  const at = `http://127.0.0.1:${server.address().port}`;
  const ask = async (path, options) => {
    const res = await fetch(at + path, options);
    const text = await res.text();
    console.log(path, res.status, res.headers.get('content-type'), text.length, text.slice(0, 60));
  };
  for (let i = 0; i < 30; i++) await ask(`/hello/${i}?n=${i * i}`);
  await Promise.all([1, 2, 3].map((i) => fetch(`${at}/hello/${i}`)));
  const numbers = JSON.stringify(Array.from({ length: 2000 }, (_, i) => i));
  await ask('/sum', { method: 'POST', body: numbers, headers: { 'content-type': 'application/json' } });
  await ask('/sum', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
  await ask('/files/express.cjs');
  for (const path of ['/throws', '/rejects', '/nowhere']) await ask(path);
  server.close();
  server.closeAllConnections();
});
