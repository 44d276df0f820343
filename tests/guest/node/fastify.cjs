// Schemas, hooks, plugins and a stream as an answer.
const { Readable } = require('stream');
const fastify = require('fastify')({ logger: false });
let hooked = 0;
fastify.addHook('onRequest', async () => {
  hooked++;
});
fastify.register(
  async (scope) => {
    scope.decorate('factor', 3);
    scope.get(
      '/times/:n',
      { schema: { params: { type: 'object', properties: { n: { type: 'integer' } } } } },
      async (request) => ({ result: request.params.n * scope.factor }),
    );
  },
  { prefix: '/v1' },
);
fastify.post(
  '/echo',
  { schema: { body: { type: 'object', required: ['a'] } } },
  async (request) => request.body,
);
fastify.get('/stream', (request, reply) =>
  reply.send(Readable.from(['a', 'b', 'c'].map((x) => x.repeat(9000)))),
);
(async () => {
  for (let i = 0; i < 50; i++) console.log((await fastify.inject(`/v1/times/${i}`)).body);
  console.log((await fastify.inject('/v1/times/x')).body);
  console.log((await fastify.inject({ method: 'POST', url: '/echo', payload: { a: [1, 2] } })).body);
  console.log((await fastify.inject({ method: 'POST', url: '/echo', payload: { b: 1 } })).body);
  const at = await fastify.listen({ port: 0, host: '127.0.0.1' });
  const text = await (await fetch(at + '/stream')).text();
  console.log(text.length, text[0], text.at(-1), hooked);
  await fastify.close();
})();
