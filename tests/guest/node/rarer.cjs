// One package each, by the name that is given.
const fs = require('fs');
const http = require('http');
const TEXT = fs.readFileSync(__filename, 'utf8');

const programs = {
  async prettier() {
    const prettier = require('prettier');
    console.log(await prettier.format(TEXT.replace(/\n\s*/g, ' \n'), { parser: 'babel', semi: false }));
    await prettier.format('let = (', { parser: 'babel' }).catch((error) => console.log(error.message));
  },
  async rollup() {
    const { rollup } = require('rollup');
    const bundle = await rollup({ input: __filename, external: /^[^./]/, logLevel: 'silent' });
    const { output } = await bundle.generate({ format: 'es' });
    console.log(output.map((part) => [part.fileName, part.code.length, part.code.slice(0, 300)]));
  },
  async '@swc/core'() {
    const swc = require('@swc/core');
    const { code } = await swc.transform(TEXT, { jsc: { target: 'es5' }, minify: true, sourceMaps: false });
    console.log(code.length, code.slice(0, 400));
    console.log(swc.parseSync('const x = 1;').body.length);
  },
  async esbuild() {
    const esbuild = require('esbuild');
    console.log((await esbuild.transform(TEXT, { minify: true, target: 'es2017' })).code);
    console.log(esbuild.transformSync('let x: number = 3', { loader: 'ts' }).code);
  },
  async koa() {
    const Koa = require('koa');
    const app = new Koa({ silent: true });
    app.use(async (ctx, next) => {
      await next();
      ctx.set('x-way', ctx.path);
    });
    app.use((ctx) => {
      if (ctx.path === '/bad') ctx.throw(418);
      ctx.body = { path: ctx.path, query: ctx.query };
    });
    const server = app.listen(0);
    for (const path of ['/a?b=1', '/bad', '/c']) {
      const res = await fetch(`http://127.0.0.1:${server.address().port}${path}`);
      console.log(res.status, res.headers.get('x-way'), await res.text());
    }
    server.close();
    server.closeAllConnections();
  },
  async 'socket.io'() {
    const { Server } = require('socket.io');
    const { io } = require('socket.io-client');
    const server = http.createServer().listen(0);
    const sockets = new Server(server);
    sockets.on('connection', (socket) => socket.on('ask', (data, answer) => answer(data.length)));
    const client = io(`http://127.0.0.1:${server.address().port}`);
    for (let i = 0; i < 50; i++) console.log(await client.emitWithAck('ask', Buffer.alloc(i * 100)));
    client.close();
    sockets.close();
  },
  async graphql() {
    const { graphql, buildSchema } = require('graphql');
    const schema = buildSchema('type Query { sum(of: [Int!]!): Int, fails: String }');
    const rootValue = {
      sum: ({ of }) => of.reduce((a, b) => a + b, 0),
      fails: () => { throw new Error('mine'); },
    };
    const source = '{ sum(of: [1, 2, 39]) fails }';
    console.log(JSON.stringify(await graphql({ schema, source, rootValue })));
  },
  async lmdb() {
    const { open } = require('lmdb');
    const store = open({ path: 'store.lmdb', compression: true });
    for (let i = 0; i < 2000; i++) store.put(`k${i}`, { i, text: 'x'.repeat(i % 500) });
    await store.flushed;
    console.log(store.get('k1999'), [...store.getKeys({ limit: 5 })], store.getCount());
    await store.close();
  },
  async piscina() {
    const { Piscina } = require('piscina');
    const pool = new Piscina({ filename: __filename, name: 'task', maxThreads: 3 });
    console.log((await Promise.all(Array.from({ length: 60 }, (_, i) => pool.run(i)))).join(' '));
    await pool.run(-1).catch((error) => console.log(error.message));
    await pool.destroy();
  },
  async pino() {
    const pino = require('pino');
    const target = { target: 'pino/file', options: { destination: 'log.txt' } };
    const logger = pino({ base: null, timestamp: false }, pino.transport(target));
    for (let i = 0; i < 500; i++) logger.info({ i }, 'said');
    const text = () => (fs.existsSync('log.txt') ? fs.readFileSync('log.txt', 'utf8') : '');
    const written = () => text().split('\n').length;
    while (written() < 501) await new Promise((done) => setTimeout(done, 5));
    console.log('lines in the log:', written());
  },
  async axios() {
    const axios = require('axios');
    const server = http.createServer((req, res) => req.pipe(res)).listen(0);
    const at = `http://127.0.0.1:${server.address().port}`;
    for (let i = 0; i < 20; i++) console.log((await axios.post(at, { i, list: Array(i).fill(i) })).data);
    server.close();
    server.closeAllConnections();
    await axios.get(at, { timeout: 100 }).catch((error) => console.log(error.code));
  },
  async rxjs() {
    const { range, mergeMap, timer, map, reduce, lastValueFrom, bufferCount } = require('rxjs');
    const all = range(1, 200).pipe(mergeMap((n) => timer(n % 5).pipe(map(() => Buffer.alloc(n).length)), 8));
    console.log('all of them came:', await lastValueFrom(all.pipe(bufferCount(10), reduce((sum, part) => sum + part.length, 0))));
  },
};

exports.task = (n) => {
  if (n < 0) throw new RangeError('below zero');
  return Buffer.alloc(1000 * n, 1).reduce((a, b) => a + b, 0);
};

if (require.main === module) programs[process.argv[2]]();
