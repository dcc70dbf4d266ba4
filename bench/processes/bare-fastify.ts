// The bare platform for the reference service: fastify routes that return what it returned.
// Usage: bare-fastify.ts URL PATH…: each PATH returns what the service at URL returns for it at the start. POST paths
// have the form `POST:path:body`.
import fastify from 'fastify';

const [origin = '', ...paths] = process.argv.slice(2);
const app = fastify();
for (const argument of paths) {
  const [, method = 'GET', path = argument, body] = /^(POST):([^:]+):(.*)$/.exec(argument) ?? [];
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${await answer.text()}`);
  const [type, text] = [answer.headers.get('content-type') ?? '', await answer.text()];
  app.route({
    method: method === 'POST' ? 'POST' : 'GET',
    url: path.split('?')[0] ?? path,
    handler: (_request, reply) => {
      void reply.type(type);
      if (!type.startsWith('text/event-stream')) return reply.send(JSON.parse(text));
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': type });
      for (const event of text.split(/(?<=\n\n)/)) reply.raw.write(event);
      reply.raw.end();
      return reply;
    },
  });
}
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('SIGTERM', () => void app.close());
