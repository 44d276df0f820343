// Texts, bytes and compression both ways; closed by either side.
const { WebSocket, WebSocketServer } = require('ws');
const server = new WebSocketServer({ port: 0, perMessageDeflate: { threshold: 100 } }, () => {
  const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
  let count = 0,
    bytes = 0;
  client.on('open', () => {
    for (let i = 0; i < 200; i++) client.send(i % 2 ? 'x'.repeat(i) : Buffer.alloc(i * 50, i));
  });
  client.on('message', (data, binary) => {
    bytes += data.length;
    if (count++ % 40 === 0) console.log(count, binary, data.length, String(data.subarray(0, 3)));
    if (count === 200) client.close(4001, 'enough');
  });
  client.on('close', (code, reason) => console.log('client', code, String(reason), bytes));
});
server.on('connection', (socket) => {
  socket.on('message', (data, binary) => socket.send(data, { binary }));
  socket.on('close', (code, reason) => {
    console.log('server', code, String(reason));
    server.close();
  });
});
