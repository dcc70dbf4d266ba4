import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, tryParseJson } from '../../schemas/json.ts';
import { chatForm, textForm } from './completion-forms.ts';
import {
  type CompletionRequest,
  drawSample,
  PROBABILITY,
  type Sampler,
  SmallModel,
} from './sampling-model.ts';

const MODEL = 'small-1';
/** Maximum number of requests per connection; the next one gets no response, only the end of the connection. */
const REQUESTS_PER_CONNECTION = 20;
const MAX_TOKEN_MS = 4;

export interface SamplingServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Imitates servers that people run locally: one model that samples, few slots, short connections and defects. */
export async function startSamplingServer(seed: number): Promise<SamplingServer> {
  const model = new SmallModel(seed);
  const requestCounts = new WeakMap<Socket, number>();
  const server = createServer((request, response) => {
    const count = (requestCounts.get(request.socket) ?? 0) + 1;
    requestCounts.set(request.socket, count);
    if (count > REQUESTS_PER_CONNECTION) request.socket.destroy();
    else answer(model, request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a server that listens on a port has an AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(model: SmallModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const path = `${request.method} ${request.url?.split('?')[0]}`;
  const modelObject = { id: MODEL, object: 'model', created: 1_700_000_000, owned_by: 'me' };
  if (path === 'GET /v1/models') return send(response, 200, { object: 'list', data: [modelObject] });
  if (path === `GET /v1/models/${MODEL}`) return send(response, 200, modelObject);
  const isChat = path === 'POST /v1/chat/completions';
  if (!isChat && path !== 'POST /v1/completions') return send(response, 404, errorBody('Not found'));
  const text = Buffer.concat(pieces).toString();
  const value: unknown = tryParseJson(text);
  const body = isObject(value) ? (value as CompletionRequest) : null; // as: the server trusts most types
  if (body === null) return send(response, 400, errorBody('The body must be a JSON object.'));
  if (typeof body.model !== 'string') return send(response, 400, errorBody('model is required'));
  if (body.model !== MODEL) return send(response, 404, errorBody(`The model ${body.model} does not exist.`));
  const input = isChat ? body.messages : body.prompt;
  if (isChat ? !Array.isArray(input) || input.length === 0 : input === undefined)
    return send(response, 400, errorBody('There is nothing to answer.'));
  const sampler = model.createSampler(`${path} ${text}`);
  if (sampler.happens(PROBABILITY.busy)) return send(response, 503, errorBody('All slots are busy.'));
  await model.runInSlot(() => generateResponse(sampler, { body, isChat }, response));
}

async function generateResponse(
  sampler: Sampler,
  { body, isChat }: { readonly body: CompletionRequest; readonly isChat: boolean },
  response: ServerResponse,
): Promise<void> {
  const samples = Array.from({ length: Math.max(1, Number(body.n ?? 1)) }, () => drawSample(sampler, body));
  const form = isChat ? chatForm(sampler, body) : textForm(sampler, body);
  const createHead = () => ({
    id: `cmpl-${Math.floor(sampler.next() * 1e9)}`,
    model: MODEL,
    system_fingerprint: 'b1',
  });
  const tokenCount = samples.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const usage = { prompt_tokens: 9, completion_tokens: tokenCount, total_tokens: 9 + tokenCount };
  const pauseForToken = () => pause(Math.ceil(sampler.next() * MAX_TOKEN_MS));
  if (body.stream !== true) {
    for (let n = 0; n < tokenCount; n += 1) await pauseForToken();
    const choices = samples.map((one, index) => ({
      index,
      ...form.createChoice(one),
      finish_reason: one.finish,
    }));
    const facts = { object: form.object, created: nowInSeconds(), choices, usage };
    return send(response, 200, { ...createHead(), ...facts });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const head = createHead();
  // Defect: the first chunk may have another `created` than the others, as if each had the time of its writing.
  // The clock does not decide, because samples must not depend on when a request arrives.
  const second = nowInSeconds();
  let created = sampler.happens(PROBABILITY.secondEnds) ? second - 1 : second;
  const writeChunk = (more: object) => {
    response.write(`data: ${JSON.stringify({ ...head, object: form.chunk, created, ...more })}\n\n`);
    created = second;
  };
  for (const [index, one] of samples.entries()) {
    for (const piece of form.createPieces(one)) {
      await pauseForToken();
      writeChunk({ choices: [{ index, ...piece, finish_reason: null }] });
    }
    writeChunk({ choices: [{ index, ...form.end, finish_reason: one.finish }] });
  }
  if (body.stream_options?.include_usage === true) writeChunk({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function errorBody(message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
