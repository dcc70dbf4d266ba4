// A small service with POST /v1/embeddings: `node server.mjs [PORT] [FAULT]`. Prints its URL. A fault makes it
// misbehave in one way.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const MODEL = 'text-embedding-tiny';
const DIMENSIONS = 64;
const MAX_TEXTS = 128;

/** Each fault changes answers to valid requests, here or in `embed`, or makes the service accept an invalid request. */
export const FAULTS = {
  reversed: (answer) => ({ ...answer, data: answer.data.toReversed() }),
  'counted-from-one': (answer) => ({
    ...answer,
    data: answer.data.map((one) => ({ ...one, index: one.index + 1 })),
  }),
  'one-too-few': (answer) => ({ ...answer, data: answer.data.slice(0, Math.max(1, answer.data.length - 1)) }),
  'always-numbers': (answer) => ({
    ...answer,
    data: answer.data.map((one) => ({ ...one, embedding: numbersOf(one.embedding) })),
  }),
  'fixed-dimensions': (answer) => answer,
  'total-zero': (answer) => ({ ...answer, usage: { ...answer.usage, total_tokens: 0 } }),
  'text-as-index': (answer) => ({
    ...answer,
    data: answer.data.map((one) => ({ ...one, index: String(one.index) })),
  }),
  'no-usage': ({ usage: _, ...answer }) => answer,
  unstable: (answer) => answer,
  'takes-large-batches': (answer) => answer,
  'takes-any-form': (answer) => answer,
};

/** Starts the service on `port`; 0 selects a free one. */
export async function startServer({ port = 0, fault = null } = {}) {
  const server = createServer(async (request, response) => {
    const { status, json } = await answerTo(request, fault);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections()),
  };
}

async function answerTo(request, fault) {
  if (request.method === 'GET' && request.url === '/v1/models')
    return {
      status: 200,
      json: { object: 'list', data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'example' }] },
    };
  if (request.method !== 'POST' || request.url !== '/v1/embeddings')
    return createRefusal(404, `Unknown path ${request.method} ${request.url}`);
  const body = await readBody(request);
  const problem = findProblem(body, fault);
  if (problem !== null) return createRefusal(problem.startsWith('model ') ? 404 : 400, problem);
  const answer = embed(body, fault);
  return { status: 200, json: FAULTS[fault]?.(answer) ?? answer };
}

function createRefusal(status, message) {
  return { status, json: { error: { message, type: 'invalid_request_error', param: null, code: null } } };
}

async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    return undefined;
  }
}

function findProblem(body, fault) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return 'the body is not a JSON object';
  const { model, input, encoding_format: form, dimensions, user } = body;
  if (typeof model !== 'string') return 'the model is not a text';
  if (model !== MODEL) return `model ${model} does not exist`;
  const texts = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || !texts.every((one) => typeof one === 'string' && one !== ''))
    return 'input is neither a text nor a list of texts';
  if (texts.length > MAX_TEXTS && fault !== 'takes-large-batches') return `more than ${MAX_TEXTS} texts`;
  if (![undefined, null, 'float', 'base64'].includes(form) && fault !== 'takes-any-form')
    return 'encoding_format is neither float nor base64';
  if (dimensions != null && !(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= DIMENSIONS))
    return `dimensions is not a whole number from 1 to ${DIMENSIONS}`;
  return user == null || typeof user === 'string' ? null : 'user is not a text';
}

function embed({ model, input, encoding_format: form, dimensions }, fault) {
  const texts = Array.isArray(input) ? input : [input];
  const size = fault === 'fixed-dimensions' ? DIMENSIONS : (dimensions ?? DIMENSIONS);
  const data = texts.map((text, index) => {
    const vector = vectorOf(fault === 'unstable' ? `${index}${form}${text}` : text, size);
    const embedding =
      form === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
    return { object: 'embedding', index, embedding };
  });
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** A vector of length one that depends on the letters of the text and their neighbours. */
function vectorOf(text, size) {
  const vector = new Array(size).fill(0);
  const padded = `  ${text} `;
  for (let i = 2; i < padded.length; i += 1) {
    const hash = padded.charCodeAt(i - 2) * 961 + padded.charCodeAt(i - 1) * 31 + padded.charCodeAt(i);
    vector[hash % size] += hash % 2 === 0 ? 1 : -1;
    vector[(hash * 7) % size] += 0.5;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((one) => one / length);
}

function numbersOf(embedding) {
  if (Array.isArray(embedding)) return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , port = '0', fault = null] = process.argv;
  console.log((await startServer({ port: Number(port), fault })).url);
}
