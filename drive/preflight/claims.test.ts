import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { serveReference } from '../../reference/service.ts';
import { families } from '../../schemas/index.ts';
import { isolateRuns, listenForTest, testConfiguration } from '../testing/runs.ts';
import { resolveClaims } from './claims.ts';
import { findUnoffered } from './offers.ts';
import { PreflightClient } from './preflight-client.ts';

isolateRuns();

function createClient(baseUrl: string): PreflightClient {
  const client = new PreflightClient(testConfiguration(baseUrl));
  onTestFinished(() => client.close());
  return client;
}

test('discovery finds every family of the reference without creating anything', async () => {
  const reference = await serveReference();
  onTestFinished(() => reference.close());
  const { families: found, how } = await resolveClaims('auto', createClient(reference.url));
  expect([found.toSorted(), how]).toEqual([families().toSorted(), 'auto']);
  for (const list of ['assistants', 'files', 'vector_stores', 'batches', 'fine_tuning/jobs']) {
    const answer = await fetch(`${reference.url}/${list}`, { headers: { 'Vendor-Beta': 'assistants=v2' } });
    expect({ list, ...((await answer.json()) as object) }).toMatchObject({ list, data: [] }); // as: a list
  }
});

test('on a target that offers only chat and models, only these are found', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isKnown = request.url === '/v1/models' || request.url === '/v1/chat/completions';
    const status = request.method === 'POST' ? 400 : 200;
    response.writeHead(isKnown ? status : 404, { 'content-type': 'application/json' });
    response.end(isKnown ? '{}' : JSON.stringify({ detail: `Unknown URL ${request.url}` }));
  });
  expect((await resolveClaims('auto', createClient(url))).families.toSorted()).toEqual(['chat', 'models']);
});

test.for([
  ['plain', (text: string) => text, {}],
  ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
] as const)('a %s 404 for the model does not count as one for the path', async ([_, encode, headers]) => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isKnown = request.url === '/v1/chat/completions';
    response.writeHead(404, { 'content-type': 'application/json', ...headers });
    const message = isKnown ? 'The model does not exist.' : 'Not found.';
    response.end(encode(JSON.stringify({ error: { message } })));
  });
  expect((await resolveClaims('auto', createClient(url))).families).toEqual(['chat']);
});

async function startServiceWithModel(chatStatus: number) {
  const posts: { readonly path: string; readonly body: string; readonly inFlight: number }[] = [];
  let inFlight = 0;
  const { url } = await listenForTest((request, response) => {
    inFlight += 1;
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      if (request.method === 'POST') posts.push({ path, body, inFlight });
      const isKnown = path === '/v1/models' || path === '/v1/chat/completions';
      const status = request.method === 'POST' ? chatStatus : 200;
      // The delay lets a concurrent request arrive before this response.
      setTimeout(() => {
        inFlight -= 1;
        response.writeHead(isKnown ? status : 404, { 'content-type': 'application/json' });
        response.end(isKnown ? '{"object":"list","data":[{"id":"my-model"}]}' : '{"detail":"Not found"}');
      }, 20);
    });
  });
  return { url, posts };
}

test('a family that accepts a valid request gets no malformed one', async () => {
  const { url, posts } = await startServiceWithModel(200);
  const client = createClient(url);
  await client.findUnreachableReason();
  expect((await resolveClaims('auto', client)).families.toSorted()).toEqual(['chat', 'models']);
  const chat = posts.filter(({ path }) => path === '/v1/chat/completions').map(({ body }) => body);
  expect(chat).toEqual([expect.stringContaining('"my-model"')]);
  posts.length = 0;
  expect(await findUnoffered(['chat', 'models'], client)).toEqual([]);
  expect(posts.map(({ body }) => body)).not.toContain('[]');
});

test('malformed requests are sent one at a time, the one for chat after a valid request', async () => {
  const { url, posts } = await startServiceWithModel(400);
  const client = createClient(url);
  await client.findUnreachableReason();
  await resolveClaims('auto', client);
  const malformed = posts.filter(({ body }) => body === '[]');
  expect(malformed.map(({ path }) => path)).toContain('/v1/chat/completions');
  expect(malformed.map(({ inFlight }) => inFlight)).toEqual(malformed.map(() => 1));
  const chat = posts.filter(({ path }) => path === '/v1/chat/completions').map(({ body }) => body);
  expect([chat[0], chat[1]]).toEqual([expect.stringContaining('"my-model"'), '[]']);
});

test('an error that says that the path is unknown counts like a 404', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isUnknown = request.url?.includes('no-such-address') === true;
    const isKnown = request.url === '/v1/models';
    response.writeHead(isKnown ? 200 : isUnknown ? 404 : 400, { 'content-type': 'application/json' });
    const message = request.method === 'POST' ? 'This endpoint is not supported.' : 'Unsupported operation';
    response.end(isKnown ? '{}' : JSON.stringify({ error: { message } }));
  });
  expect((await resolveClaims('auto', createClient(url))).families).toEqual(['models']);
});

test.for([
  'Invalid path parameter: thread_id must match ^thread_',
  'Unknown path parameter value',
  'Invalid url in image_url',
  'Unknown operation parameter',
])('an error about the request shows that the operation is offered: %s', async (message) => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isUnknown = request.url?.includes('no-such-address') === true;
    response.writeHead(isUnknown ? 404 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message } }));
  });
  const { families: found } = await resolveClaims('auto', createClient(url));
  expect(found.toSorted()).toEqual(families().toSorted());
});

test.for([200, 400, 404, 500])(
  'a target that responds with %i to everything offers nothing',
  async (status) => {
    const { url } = await listenForTest((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [], path: request.url }));
    });
    expect((await resolveClaims('auto', createClient(url))).families).toEqual([]);
  },
);

test.for([401, 403])(
  'if a target responds with %i to everything, it is unknown what it offers',
  async (status) => {
    const { url } = await listenForTest((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    const found = await resolveClaims('auto', createClient(url));
    expect(found.families.toSorted()).toEqual(families().toSorted());
    expect(found.refused).toEqual({ status, families: families() });
  },
);

test('a 401 that an unknown path does not get shows that the family exists', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isKnown = request.url === '/v1/models' || request.url === '/v1/chat/completions';
    response.writeHead(isKnown ? 401 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  const found = await resolveClaims('auto', createClient(url));
  expect([found.families.toSorted(), found.refused]).toEqual([['chat', 'models'], undefined]);
});

test('one open path among refused ones leaves the others unknown', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    response.writeHead(request.url === '/v1/models' ? 200 : 401, { 'content-type': 'application/json' });
    response.end(request.url === '/v1/models' ? '{"object":"list","data":[]}' : '{}');
  });
  const { refused } = await resolveClaims('auto', createClient(url));
  expect([refused?.status, refused?.families]).toEqual([
    401,
    families().filter((family) => family !== 'models'),
  ]);
});

test('threads, messages and runs without a list are found although all 404s are equal', async () => {
  const routes: readonly [path: RegExp, ...methods: string[]][] = [
    [/^\/v1\/threads$/, 'POST'],
    [/^\/v1\/threads\/runs$/, 'POST'],
    [/^\/v1\/threads\/[^/]+$/, 'GET', 'POST', 'DELETE'],
    [/^\/v1\/threads\/[^/]+\/messages$/, 'GET', 'POST'],
  ];
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const methods = routes.find(([path]) => path.test(request.url ?? ''))?.slice(1) ?? [];
    const isKnown = methods.length > 0;
    const isAllowed = methods.some((method) => method === request.method);
    const status = isAllowed && request.method === 'POST' ? 422 : 404;
    response.writeHead(isKnown && !isAllowed ? 405 : status);
    response.end(JSON.stringify({ detail: 'Not Found' }));
  });
  const { families: found } = await resolveClaims('auto', createClient(url));
  expect(found.toSorted()).toEqual(['messages', 'runs', 'threads']);
});

test('the default claim and a given claim need no requests, except for families that services serve in both versions', async () => {
  let requests = 0;
  const { url } = await listenForTest((request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(404).end();
  });
  const client = createClient(url);
  expect(await resolveClaims(['chat'], client)).toEqual({ families: ['chat'], how: 'given' });
  expect((await resolveClaims('all', client)).how).toBe('default');
  expect(requests).toBe(0);
  expect(await resolveClaims(['threads'], client)).toEqual({ families: ['threads'], how: 'given' });
  expect(requests).toBeGreaterThan(0);
});

test('429 is retried, and a family that gets nothing else is named, and not claimed', async () => {
  let isFirst = true;
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isChat = request.url === '/v1/chat/completions';
    // This wait is too long to be honoured.
    if (isChat) response.writeHead(429, { 'retry-after': '100000' });
    else if (isFirst && request.url === '/v1/models') response.writeHead(429, { 'retry-after': '0.01' });
    else response.writeHead(request.url === '/v1/models' ? 200 : 404);
    isFirst &&= request.url !== '/v1/models';
    response.end('{"object":"list","data":[]}');
  });
  const found = await resolveClaims('auto', createClient(url));
  expect(found).toMatchObject({ families: ['models'], limited: ['chat'] });
});
