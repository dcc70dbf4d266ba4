// A chat server that crashes on bodies that are arrays, and on valid requests with a presence penalty of -1.5.
import { createServer } from 'node:http';

const MODEL = { id: 'tiny-1', object: 'model', created: 1_700_000_000, owned_by: 'me' };
const HEAD = { id: 'chatcmpl-1', created: 1_700_000_000, model: MODEL.id, system_fingerprint: 'fp_1' };
const USAGE = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces).toString();
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const path = `${request.method} ${request.url.split('?')[0]}`;
  if (path === 'GET /v1/models') return send(200, { object: 'list', data: [MODEL] });
  if (path !== 'POST /v1/chat/completions') return send(404, { error: { message: 'Not found' } });
  const parameters = JSON.parse(body);
  if (Array.isArray(parameters) || parameters.presence_penalty === -1.5) {
    process.stderr.write(`${body}\n`, () => process.exit(1));
    return;
  }
  if (parameters.model !== MODEL.id) return send(404, { error: { message: 'The model does not exist.' } });
  const choice = { index: 0, logprobs: null };
  if (parameters.stream !== true) {
    const message = { role: 'assistant', content: 'Hello' };
    const choices = [{ ...choice, message, finish_reason: 'stop' }];
    return send(200, { ...HEAD, object: 'chat.completion', choices, usage: USAGE });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (delta, finish_reason) => {
    const choices = [{ ...choice, delta, finish_reason }];
    response.write(`data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  write({ role: 'assistant', content: '' }, null);
  write({ content: 'Hello' }, null);
  write({}, 'stop');
  response.end('data: [DONE]\n\n');
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log(server.address().port));
