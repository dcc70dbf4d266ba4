import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestBodyOf, startUpstream, type TestUpstream } from '../../proxy/testing/upstream.ts';

const MODEL = 'tiny-1';
const CREATED = 1_700_000_000;
const WORDS = ['Hello', ' from', ' tiny.'];

/**
 * Starts a service with two endpoints, as someone might write it in an afternoon: it ignores every field except
 * `model` and `stream`, including tools and log probabilities.
 */
export function startSmallService(): Promise<TestUpstream> {
  return startUpstream((request, response) => {
    answer(request, response).catch(() => send(response, 400, errorBody('the body is not JSON')));
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await requestBodyOf(request)).toString();
  const endpoint = `${request.method} ${request.url?.split('?')[0]}`;
  if (endpoint === 'GET /v1/models') {
    const data = [{ id: MODEL, object: 'model', created: CREATED, owned_by: 'me' }];
    return send(response, 200, { object: 'list', data });
  }
  if (endpoint !== 'POST /v1/chat/completions') return send(response, 404, errorBody('not found'));
  const body = JSON.parse(text);
  if (body.model !== MODEL) return send(response, 404, errorBody('no such model'));
  const base = { id: 'chatcmpl-1', created: CREATED, model: MODEL, system_fingerprint: 'fp_1' };
  if (body.stream === true) return stream(response, base);
  const message = { role: 'assistant', content: WORDS.join('') };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  return send(response, 200, { ...base, object: 'chat.completion', choices, usage });
}

function stream(response: ServerResponse, base: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish_reason: string | null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  chunk({ role: 'assistant', content: '' }, null);
  for (const content of WORDS) chunk({ content }, null);
  chunk({}, 'stop');
  response.end('data: [DONE]\n\n');
}

function errorBody(message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
