import { text as contentOf } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { firstHeader } from '../exchange/http/headers.ts';
import { readLedger } from './cleanup/resource-ledger.ts';
import {
  fileService,
  isolateRuns,
  listenForTest,
  oneScenario,
  runSuite,
  scenarioText,
  sendJson,
  testConfiguration,
  uploadCall,
  writeSuite,
} from './testing/runs.ts';

/** The size of an upload, in bytes, that exceeds what a recording keeps and what the buffers of a connection hold. */
const LARGE = 80 * 1024 * 1024;

isolateRuns();

describe('a target that fails', () => {
  test('if nothing listens, the run ends before it begins', async () => {
    const { url, die } = await listenForTest(() => {});
    await die();
    const { result, exchanges, notes } = await runSuite(testConfiguration(url), {
      suites: writeSuite(oneScenario),
    });
    expect(result).toMatchObject({ stopReason: 'target-unreachable', scenarios: { run: 0 } });
    expect(result.stop).toMatchObject({ reason: 'target-unreachable', baseUrl: url, strange: null });
    expect([exchanges.length, notes.at(-1)?.note]).toEqual([0, 'stopped']);
  });

  test.for([
    [0, 'target-unreachable'],
    [300, 'completed'],
  ] as const)('if it is still starting, a run that waits %i s ends as %s', async ([waitFor, stopReason]) => {
    let calls = 0;
    const requestListener = fileService(new Map());
    const { url } = await listenForTest((request, response) => {
      calls += 1;
      if (calls < 4) response.socket?.resetAndDestroy();
      else requestListener(request, response);
    });
    const { result } = await runSuite(testConfiguration(url, { waitFor }), {
      suites: writeSuite(oneScenario),
    });
    expect(result.stopReason).toBe(stopReason);
  });

  test('if it dies during the run, what was recorded is kept, and no further scenario starts', async () => {
    const { url, die } = await listenForTest((request, response) => {
      fileService(new Map())(request, response);
      if (request.url === '/v1/files/last') void die();
    });
    const text =
      scenarioText(
        'files.a',
        `${uploadCall} await context.call('retrieveFile', { path: { file_id: 'last' } });
        for (;;) await context.call('listFiles');`,
      ) + scenarioText('files.b', `for (;;) await context.call('listFiles');`);
    const { result, exchanges, notes } = await runSuite(testConfiguration(url, { concurrency: 1 }), {
      suites: writeSuite(text),
    });
    expect(result.stopReason).toBe('target-died');
    expect(notes.find(({ note }) => note === 'stopped')).toMatchObject({ reason: 'target-died' });
    expect(exchanges[0]?.response?.status).toBe(200);
    expect(result.leftovers).toMatchObject([{ operation: 'createFile', id: 'file-1' }]);
    expect(notes.map((note) => ('scenario' in note ? note.scenario : null))).not.toContain('files.b');
  });

  test.for(['files', 'auto', 'createFile,listFiles'])(
    '401 for everything ends the run before it begins, with --claim %s',
    async (claim) => {
      let requests = 0;
      const { url } = await listenForTest((request, response) => {
        requests += 1;
        request.resume().on('end', () => sendJson(response, 401, { error: {} }));
      });
      const configuration = testConfiguration(url, { claim: claim === 'auto' ? claim : claim.split(',') });
      const { result, exchanges, progress } = await runSuite(configuration, {
        suites: writeSuite(oneScenario),
      });
      expect(result).toMatchObject({ stopReason: 'target-unreachable', scenarios: { run: 0 } });
      const refused = { status: 401, keyVariable: 'ASSAY_API_KEY', key: 'sent' };
      expect(result.stop).toMatchObject({ strange: null, detail: null, refused });
      expect(exchanges).toEqual([]);
      expect(progress.map(({ kind }) => kind)).not.toContain('claimed');
      expect(requests).toBeLessThan(claim === 'auto' ? 130 : 5);
    },
  );

  test.for([{ model: 'my-model' }, { model: ['chat=my-model'] }])(
    'a target that refuses the key unless a request names a model is judged, with %j',
    async (flags) => {
      const { url } = await listenForTest((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        request.on('end', () => sendJson(response, body.includes('"my-model"') ? 200 : 403, {}));
      });
      const configuration = testConfiguration(url, { claim: 'chat', ...flags });
      const { result } = await runSuite(configuration, { suites: writeSuite(oneScenario) });
      expect(result.stopReason).toBe('completed');
    },
  );

  test.for(['POST /v1/files', 'GET /v1/files', 'GET /v1/models'])(
    'a target that refuses the key for everything but %s is judged',
    async (permitted) => {
      const files = fileService(new Map());
      const { url } = await listenForTest((request, response) => {
        if (`${request.method} ${request.url}` === permitted) files(request, response);
        else request.resume().on('end', () => sendJson(response, 401, { error: {} }));
      });
      const { result, exchanges } = await runSuite(testConfiguration(url), {
        suites: writeSuite(oneScenario),
      });
      expect(result).toMatchObject({ stopReason: 'completed', scenarios: { run: 1 } });
      expect(exchanges).not.toEqual([]);
    },
  );

  test.for([
    ['generated while it is sent', `repeated: { text: 'a', bytes: ${LARGE} }`],
    ['held in memory', `file: Buffer.alloc(${LARGE})`],
  ])('an upload that is %s and is refused unread is recorded as far as it was sent', async ([_, content]) => {
    const { url } = await listenForTest((request, response) => {
      if (request.method !== 'POST') return sendJson(response, 200, {});
      request.once('data', () => {
        request.pause();
        sendJson(response, 413, { error: {} });
      });
    });
    const file = `{ name: 'file', filename: 'x', type: 'x/y', ${content} }`;
    const text = scenarioText('files.refused', `await context.call('createFile', { form: [${file}] });`);
    const { result, exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    expect(result).toMatchObject({ stopReason: 'completed', crashed: [] });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([413]);
    expect(exchanges[0]?.request.body.size).toBeLessThan(LARGE);
  });

  test('an upload whose connection closes is sent again, whether or not all of it was sent', async () => {
    const { url } = await listenForTest((request, response) => {
      if (request.method !== 'POST') return sendJson(response, 200, {});
      request.once('data', () => request.socket.resetAndDestroy());
    });
    const upload = (content: string) =>
      `await context.call('createFile', { form: [{ name: 'file', filename: context.tag, type: 'x/y', ${content} }] });`;
    const [large, small] = [`repeated: { text: 'a', bytes: ${LARGE} }`, `file: Buffer.from('a')`];
    const suites = writeSuite(scenarioText('files.closed', upload(large) + upload(small)));
    const { exchanges, notes } = await runSuite(testConfiguration(url), { suites });
    const [first, second] = exchanges;
    expect(notes.filter(({ note }) => note === 'retry')).toContainEqual(
      expect.objectContaining({
        exchange: second?.id,
        of: first?.id,
        repeat: expect.objectContaining({ why: 'closed' }),
      }),
    );
    const uploads = exchanges.filter(({ request }) => request.method === 'POST');
    const lengths = uploads.map(({ request }) => Number(firstHeader(request.headers, 'content-length')));
    expect(lengths.map((length) => length < 1024)).toEqual([false, false, false, true, true, true]);
  });

  test('a file that was created before the connection closed is found by its name, and deleted as well', async () => {
    const live = new Map<string, string>();
    const { url } = await listenForTest(async (request, response) => {
      const text = await contentOf(request);
      const id = /^\/v1\/files\/([\w-]+)$/.exec(request.url ?? '')?.[1];
      if (request.method === 'DELETE' && id !== undefined)
        return sendJson(response, live.delete(id) ? 200 : 404, { id, object: 'file', deleted: true });
      if (request.method !== 'POST') {
        const data = [...live].map(([id, filename]) => ({ id, object: 'file', filename }));
        return sendJson(response, 200, { object: 'list', data });
      }
      const created = `file-${live.size + 1}`;
      live.set(created, /filename="([^"]*)"/.exec(text)?.[1] ?? '');
      if (live.size === 1) response.socket?.resetAndDestroy();
      else sendJson(response, 200, { id: created, object: 'file' });
    });
    const part = `{ name: 'file', filename: context.tag + '.txt', type: 'x/y', file: Buffer.from('a') }`;
    const text = scenarioText('files.closed', `await context.call('createFile', { form: [${part}] });`);
    const { result, exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    const deletions = exchanges.filter(({ request }) => request.method === 'DELETE');
    expect(deletions.map(({ request }) => request.target)).toEqual(['/v1/files/file-2', '/v1/files/file-1']);
    expect([result.leftovers, live.size]).toEqual([[], 0]);
  });

  test('a file that was created without a response before a restart gets an entry of its own in the ledger', async () => {
    const live = new Map<string, string>();
    const files = fileService(live);
    let silentRequests = 0;
    const { url } = await listenForTest((request, response) => {
      const { method, url: path = '' } = request;
      const isSilent =
        silentRequests < 4 && (path.includes('purpose') || method === 'POST' || silentRequests === 3);
      if (isSilent) silentRequests += 1;
      if (isSilent && method === 'POST') live.set('file-0', '');
      if (!isSilent) files(request, response);
    });
    const list = `await context.call('listFiles', { query: { purpose: 'batch' } });`;
    const text = scenarioText('files.restart', `${list} ${uploadCall}`);
    const { result } = await runSuite(testConfiguration(url, { timeout: 1 }), { suites: writeSuite(text) });
    expect(silentRequests).toBe(4);
    expect(readLedger(result.ledger).entries.map(({ id }) => id)).toEqual([null, 'file-1']);
  });

  test('a file without the tag of its scenario is not sent again, because cleanup could not find the first', async () => {
    const { url } = await listenForTest(async (request, response) => {
      if (request.method !== 'POST') return sendJson(response, 200, { object: 'list', data: [] });
      await contentOf(request);
      response.socket?.resetAndDestroy();
    });
    const part = `{ name: 'file', filename: 'a.txt', type: 'x/y', file: Buffer.from('a') }`;
    const text = scenarioText('files.untagged', `await context.call('createFile', { form: [${part}] });`);
    const { exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    expect(exchanges.filter(({ request }) => request.method === 'POST')).toHaveLength(1);
  });

  test('a response that a reset truncates is recorded, and the run continues', async () => {
    const { url } = await listenForTest((request, response) => {
      if (request.url === '/v1/models') return sendJson(response, 200, {});
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id": "fi', () => response.socket?.resetAndDestroy());
    });
    const text = scenarioText(
      'files.half',
      `await context.call('listFiles'); await context.call('listFiles');`,
    );
    const { result, exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    expect(result.stopReason).toBe('completed');
    expect(exchanges.map(({ end, response }) => [end.how, response?.body.text])).toEqual([
      ['upstream-reset', '{"id": "fi'],
      ['upstream-reset', '{"id": "fi'],
    ]);
  });
});

describe('a response or a timeout after which a call is retried', () => {
  test('Retry-After of a 429 is honoured, and the retry is noted', async () => {
    let requests = 0;
    const { url } = await listenForTest((request, response) => {
      // The first request, before the run, asks whether files are offered.
      if (request.url !== '/v1/files' || requests++ !== 1) return sendJson(response, 200, {});
      response.writeHead(429, { 'retry-after': '0' }).end();
    });
    const text = scenarioText('files.patient', `await context.need('listFiles');`);
    const { exchanges, notes } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([429, 200]);
    const [first, again] = exchanges.map(({ id }) => id);
    const retry = notes.find(({ note }) => note === 'retry');
    const repeat = { why: 'patience', status: 429, seconds: 0 };
    expect(retry).toMatchObject({ exchange: again, of: first, repeat });
  });

  test.for([500, 502, 503, 504])(
    '%i is retried, each retry is noted, and a hint names the errors as random',
    async (status) => {
      let requests = 0;
      const { url } = await listenForTest((request, response) => {
        if (request.url === '/v1/files') requests += 1;
        const isFailing = request.url === '/v1/files' && (requests === 2 || requests === 3);
        sendJson(response, isFailing ? status : 200, {});
      });
      const text = scenarioText('files.patient', `await context.call('listFiles');`);
      const { exchanges, notes } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
      expect(exchanges.map(({ response }) => response?.status)).toEqual([status, status, 200]);
      expect(notes.filter(({ note }) => note === 'retry')).toHaveLength(2);
      // The third attempt succeeded, so the errors count as random.
      expect(notes.at(-1)).toMatchObject({
        note: 'hint',
        hint: { kind: 'errors-at-random', requests: 1, statuses: [status], operations: ['listFiles'] },
      });
    },
  );

  test('a call that timed out is sent again once, unless it creates an object or the call before it timed out as well', async () => {
    const { url } = await listenForTest((request, response) => {
      if (request.url?.includes('purpose') !== true && request.method === 'GET') sendJson(response, 200, {});
    });
    const text = scenarioText(
      'files.late',
      `const body = { input: 'x' };
      await context.call('createModeration', { body });
      await context.call('createModeration', { body });
      await context.call('createThread', { body: {} });`,
    );
    const { exchanges } = await runSuite(testConfiguration(url, { timeout: 2 }), {
      suites: writeSuite(text),
    });
    expect(exchanges.map(({ request }) => request.target)).toEqual([
      ...Array.from({ length: 3 }, () => '/v1/moderations'),
      '/v1/threads',
    ]);
  });

  test('constant 429 is not retried after five calls', async () => {
    let requests = 0;
    const { url } = await listenForTest((request, response) => {
      if (request.url !== '/v1/files' || requests++ === 0) return sendJson(response, 200, {});
      response.writeHead(429, { 'retry-after': '0' }).end();
    });
    const text = scenarioText(
      'files.many',
      `for (let i = 0; i < 20; i += 1) await context.call('listFiles');`,
    );
    const { exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    // Five calls with three retries each, then one attempt per call.
    expect(exchanges).toHaveLength(5 * 4 + 15);
  });
});
