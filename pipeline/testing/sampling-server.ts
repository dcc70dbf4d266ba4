import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, type Json, tryParseJson } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';

const MODEL = 'small-1';
const VOCABULARY = ['north', 'tea', ' of', ' 7', ', 8', ' 9', 'assay', '.', ' 12', 'ist', ' blue', '{', '"'];
/** Maximum number of requests per connection; the next one gets no response, only the end of the connection. */
const REQUESTS_PER_CONNECTION = 20;
/** Number of responses generated concurrently; further requests wait. */
const SLOTS = 2;
const MAX_TOKEN_MS = 4;

const PROBABILITY = {
  busy: 0.02,
  wordsInsteadOfCall: 0.35,
  proseInsteadOfJson: 0.4,
  pastStop: 0.4,
  secondEnds: 0.2,
} as const;

export interface SamplingServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The fields that the server reads. It trusts most of their types, because only the suite sends requests. */
interface CompletionRequest {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly prompt?: unknown;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly n?: number;
  readonly max_tokens?: number;
  readonly stop?: string | readonly string[] | null;
  readonly logprobs?: boolean | number | null;
  readonly top_logprobs?: number;
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[] | null;
  readonly tool_choice?: unknown;
  readonly response_format?: { readonly type?: string } | null;
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

class Sampler {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readInt32BE();
  }

  /** The next pseudo-random number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  drawTokens(maxTokens: number): readonly string[] {
    const count = 1 + Math.floor(this.next() * maxTokens);
    return Array.from({ length: count }, () => VOCABULARY[Math.floor(this.next() * VOCABULARY.length)] ?? '');
  }
}

class SmallModel {
  readonly #seed: number;
  readonly #requestCounts = new Map<string, number>();
  #free = SLOTS;
  readonly #waiting: (() => void)[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Samples depend on the seed, the request and how often it was sent, not on other requests. */
  createSampler(request: string): Sampler {
    const repetition = (this.#requestCounts.get(request) ?? 0) + 1;
    this.#requestCounts.set(request, repetition);
    return new Sampler(`${this.#seed} ${repetition} ${request}`);
  }

  async runInSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

interface Sample {
  readonly tokens: readonly string[];
  readonly call: string | null;
  readonly finish: 'stop' | 'length' | 'tool_calls';
}

async function answer(model: SmallModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const path = `${request.method} ${request.url?.split('?')[0]}`;
  const card = { id: MODEL, object: 'model', created: 1_700_000_000, owned_by: 'me' };
  if (path === 'GET /v1/models') return send(response, 200, { object: 'list', data: [card] });
  if (path === `GET /v1/models/${MODEL}`) return send(response, 200, card);
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
      ...form.createMessage(one),
      finish_reason: one.finish,
    }));
    const facts = { object: form.object, created: nowInSeconds(), choices, usage };
    return send(response, 200, { ...createHead(), ...facts });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const head = createHead();
  // Defect: each chunk has the time at which it was written. Whether a second ends after the first chunk is sampled
  // too, because on a real clock it would depend on when the request arrives.
  const second = nowInSeconds();
  let created = sampler.happens(PROBABILITY.secondEnds) ? second - 1 : second;
  const writeChunk = (more: object) => {
    response.write(`data: ${JSON.stringify({ ...head, object: form.chunk, created, ...more })}\n\n`);
    created = second;
  };
  for (const [index, one] of samples.entries()) {
    for (const piece of form.pieces(one)) {
      await pauseForToken();
      writeChunk({ choices: [{ index, ...piece, finish_reason: null }] });
    }
    writeChunk({ choices: [{ index, ...form.end, finish_reason: one.finish }] });
  }
  if (body.stream_options?.include_usage === true) writeChunk({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function drawSample(sampler: Sampler, body: CompletionRequest): Sample {
  const name = calledFunction(body);
  if (name !== null && !sampler.happens(PROBABILITY.wordsInsteadOfCall))
    return { tokens: ['{}'], call: name, finish: 'tool_calls' };
  if (body.response_format?.type === 'json_object' && !sampler.happens(PROBABILITY.proseInsteadOfJson))
    return { tokens: ['{"', `${Math.floor(sampler.next() * 100)}`, '": 1}'], call: null, finish: 'stop' };
  const maxTokens = Math.min(Number(body.max_tokens ?? 16), 40);
  const tokens = sampler.drawTokens(maxTokens);
  const stops = [body.stop ?? []].flat();
  const end = tokens.findIndex((token) => stops.some((stop) => token.includes(stop)));
  // Defect: with the probability `pastStop`, the model ignores the stop sequence.
  if (end !== -1 && !sampler.happens(PROBABILITY.pastStop))
    return { tokens: tokens.slice(0, end), call: null, finish: 'stop' };
  return { tokens, call: null, finish: tokens.length === maxTokens ? 'length' : 'stop' };
}

function calledFunction({ tools, tool_choice: choice }: CompletionRequest): string | null {
  if (!Array.isArray(tools) || tools.length === 0 || choice === 'none') return null;
  const names = [choice, tools[0]].map((one) => valueAtPointer(one as Json, '/function/name')); // as: both are from JSON
  return names.find((name) => typeof name === 'string') ?? null;
}

interface Form {
  readonly object: string;
  readonly chunk: string;
  createMessage(one: Sample): object;
  pieces(one: Sample): readonly object[];
  readonly end: object;
}

function chatForm(sampler: Sampler, { logprobs, top_logprobs: top = 0 }: CompletionRequest): Form {
  const score = (token: string) => ({ token, logprob: -sampler.next(), bytes: [...Buffer.from(token)] });
  const createScores = (tokens: readonly string[]) =>
    logprobs === true
      ? {
          content: tokens.map((token) => ({
            ...score(token),
            top_logprobs: VOCABULARY.slice(0, top).map(score),
          })),
        }
      : null;
  const createCalls = (name: string) => [
    { id: `call_${sampler.next()}`, type: 'function', function: { name, arguments: '{}' } },
  ];
  return {
    object: 'chat.completion',
    chunk: 'chat.completion.chunk',
    createMessage: ({ tokens, call }) => ({
      message: {
        role: 'assistant',
        ...(call === null ? { content: tokens.join('') } : { content: null, tool_calls: createCalls(call) }),
      },
      logprobs: call === null ? createScores(tokens) : null,
    }),
    pieces: ({ tokens, call }) =>
      call === null
        ? [
            { delta: { role: 'assistant', content: '' }, logprobs: null },
            ...tokens.map((content) => ({ delta: { content }, logprobs: createScores([content]) })),
          ]
        : [
            {
              delta: {
                role: 'assistant',
                tool_calls: createCalls(call).map((one) => ({ index: 0, ...one })),
              },
              logprobs: null,
            },
          ],
    end: { delta: {}, logprobs: null },
  };
}

/** Defect: the values of `top_logprobs` are strings, keyed by tokens of the model. */
function textForm(sampler: Sampler, { logprobs }: CompletionRequest): Form {
  const createScores = (tokens: readonly string[]) =>
    typeof logprobs === 'number' && logprobs > 0
      ? {
          tokens,
          token_logprobs: tokens.map(() => -sampler.next()),
          top_logprobs: tokens.map((token) => ({ [token]: `${-sampler.next()}` })),
          text_offset: tokens.map((_, i) => tokens.slice(0, i).join('').length),
        }
      : null;
  const createPiece = (tokens: readonly string[]) => ({
    text: tokens.join(''),
    logprobs: createScores(tokens),
  });
  return {
    object: 'text_completion',
    chunk: 'text_completion',
    createMessage: ({ tokens }) => createPiece(tokens),
    pieces: ({ tokens }) => tokens.map((token) => createPiece([token])),
    end: { text: '', logprobs: null },
  };
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
