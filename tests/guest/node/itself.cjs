// Streams, files, compression, workers, children and a cluster of Node's own.
const { pipeline } = require('stream/promises');
const { Readable, Transform } = require('stream');
const { Worker, isMainThread, parentPort, workerData, MessageChannel } = require('worker_threads');
const child = require('child_process');
const cluster = require('cluster');
const crypto = require('crypto');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const readline = require('readline');

async function streams() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'streams-'));
  const count = new Transform({
    transform(part, _, next) {
      next(null, part.toString().toUpperCase());
    },
  });
  await pipeline(
    Readable.from(Array.from({ length: 5000 }, (_, i) => `line ${i}\n`)),
    count,
    zlib.createGzip(),
    fs.createWriteStream(place + '/a.gz'),
  );
  let lines = 0;
  const unpacked = fs.createReadStream(place + '/a.gz').pipe(zlib.createGunzip());
  for await (const line of readline.createInterface({ input: unpacked })) lines += line === `LINE ${lines}`;
  console.log('lines', lines);
  const hash = crypto.createHash('sha1');
  await pipeline(
    fs.createReadStream(__filename, { highWaterMark: 100 }),
    zlib.createBrotliCompress(),
    zlib.createBrotliDecompress(),
    hash,
  );
  console.log(
    hash.digest('hex') === crypto.createHash('sha1').update(fs.readFileSync(__filename)).digest('hex'),
  );
  fs.rmSync(place, { recursive: true });
}

async function workers() {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const results = await Promise.all(
    [1, 2, 3].map(
      (n) =>
        new Promise((done, failed) => {
          const worker = new Worker(__filename, { workerData: { n, shared } });
          const { port1, port2 } = new MessageChannel();
          worker.postMessage({ port: port2 }, [port2]);
          port1.on('message', (m) => {
            console.log('port', typeof m);
            port1.close();
          });
          worker.on('message', done).on('error', failed);
        }),
    ),
  );
  console.log(
    'workers',
    results.map((r) => r.byteLength),
    shared[0],
  );
}

function inWorker() {
  const { n, shared } = workerData;
  for (let i = 0; i < 1000; i++) Atomics.add(shared, 0, n);
  parentPort.once('message', ({ port }) => {
    port.postMessage('hello');
    port.close();
    const data = new Uint8Array(n * 100000);
    parentPort.postMessage(data.buffer, [data.buffer]);
  });
}

async function children() {
  console.log(child.execFileSync(process.execPath, ['-p', 'Buffer.alloc(1e7).length']).toString().trim());
  const cat = child.spawn('cat');
  let size = 0;
  cat.stdout.on('data', (part) => {
    size += part.length;
  });
  for (let i = 0; i < 50; i++) cat.stdin.write(Buffer.alloc(10000, i));
  cat.stdin.end();
  console.log('cat', await new Promise((done) => cat.on('close', done)), size);
  const killed = child.spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)']);
  killed.stdout.once('data', () => killed.kill('SIGTERM'));
  console.log('killed', await new Promise((done) => killed.on('close', (code, signal) => done(signal))));
}

async function cluster_() {
  const shut = [];
  for (let i = 0; i < 2; i++) shut.push(new Promise((done) => cluster.fork().on('exit', done)));
  await Promise.all(
    Object.values(cluster.workers).map(
      (w) =>
        new Promise((done) =>
          w.on('listening', (at) => {
            net
              .connect(at.port)
              .on('data', (text) => console.log('cluster', String(text)))
              .on('close', done);
          }),
        ),
    ),
  );
  for (const worker of Object.values(cluster.workers)) worker.disconnect();
  console.log('cluster', await Promise.all(shut));
}

async function main() {
  await streams();
  await workers();
  await children();
  await cluster_();
  console.error('to the other output');
  process.exitCode = 3;
}

if (!isMainThread) inWorker();
else if (cluster.isWorker) net.createServer((socket) => socket.end('served')).listen(0, '127.0.0.1');
else main();
