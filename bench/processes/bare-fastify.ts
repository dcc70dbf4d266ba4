// The bare platform for the reference service: routes that return the same bytes.
import { request } from 'node:http';
import fastify from 'fastify';

/** Usage: bare-fastify.ts URL PATH…: each PATH returns what the service at URL currently returns. POST paths have the form `POST:path:body`. */
const [origin = '', ...paths] = process.argv.slice(2);
const app = fastify();
for (const given of paths) {
  const [, method = 'GET', path = given, body] = /^(POST):([^:]+):(.*)$/.exec(given) ?? [];
  const answer = await ask(method, path, body);
  app.route({
    method: method === 'POST' ? 'POST' : 'GET',
    url: path.split('?')[0] ?? path,
    handler: (_request, reply) => {
      void reply.type(answer.type);
      if (!answer.type.startsWith('text/event-stream')) return reply.send(JSON.parse(answer.text));
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': answer.type });
      for (const event of answer.text.split(/(?<=\n\n)/)) reply.raw.write(event);
      reply.raw.end();
      return reply;
    },
  });
}
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('SIGTERM', () => void app.close());

function ask(
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${origin}${path}`, { method, headers: { 'content-type': 'application/json' } });
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (piece) => (text += piece));
      incoming.on('end', () => resolve({ type: incoming.headers['content-type'] ?? '', text }));
    });
    outgoing.on('error', reject).end(body);
  });
}
