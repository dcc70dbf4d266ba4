import { describe, expect, test } from 'vitest';
import { configuration, files, json, listen, one, run, suite, upload, written } from './testing/runs.ts';

describe('a target that cannot be tested', () => {
  test('nothing listening: the run is over before it began', async () => {
    const { url, die } = await listen(() => {});
    await die();
    const { result, exchanges, notes } = await run(configuration(url), { suites: suite(one) });
    expect(result).toMatchObject({ stopReason: 'target-unreachable', scenarios: { run: 0 } });
    expect(result.stop).toMatchObject({ reason: 'target-unreachable', baseUrl: url, strange: null });
    expect([exchanges.length, notes.at(-1)?.note]).toEqual([0, 'stopped']);
  });

  test.for([
    [0, 'target-unreachable'],
    [300, 'completed'],
  ] as const)('still coming up, and %i s of patience: %s', async ([waitFor, stopReason]) => {
    let calls = 0;
    const answer = files(new Map());
    const { url } = await listen((request, response) => {
      calls += 1;
      if (calls < 4) response.socket?.resetAndDestroy();
      else answer(request, response);
    });
    const { result } = await run(configuration(url, { waitFor }), { suites: suite(one) });
    expect(result.stopReason).toBe(stopReason);
  });

  test('dies in mid-run: what was recorded stays, and nothing more is asked', async () => {
    const { url, die } = await listen((request, response) => {
      files(new Map())(request, response);
      if (request.url === '/v1/files/last') void die();
    });
    const text =
      written(
        'files.a',
        `${upload} await stage.call('retrieveFile', { path: { file_id: 'last' } });
        for (;;) await stage.call('listFiles');`,
      ) + written('files.b', `for (;;) await stage.call('listFiles');`);
    const { result, exchanges, notes } = await run(configuration(url, { concurrency: 1 }), {
      suites: suite(text),
    });
    expect(result.stopReason).toBe('target-died');
    expect(notes.find(({ note }) => note === 'stopped')).toMatchObject({ reason: 'target-died' });
    expect(exchanges[0]?.response?.status).toBe(200);
    expect(result.leftovers).toMatchObject([{ operation: 'createFile', id: 'file-1' }]);
    expect(notes.map((note) => ('scenario' in note ? note.scenario : null))).not.toContain('files.b');
  });

  test('401 to everything blocks the scenario and is no reason to stop', async () => {
    const { url } = await listen((_request, response) => json(response, 401, { error: {} }));
    const { result, exchanges } = await run(configuration(url), { suites: suite(one) });
    expect(result).toMatchObject({ stopReason: 'completed', scenarios: { blocked: 1 }, leftovers: [] });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([401]);
  });

  test('an upload is refused before it is read: as much of it is kept as was on its way', async () => {
    const bytes = 64 * 1024 * 1024;
    const { url } = await listen((request, response) => {
      if (request.method !== 'POST') return json(response, 200, {});
      request.once('data', () => {
        request.pause();
        json(response, 413, { error: {} });
      });
    });
    const file = `{ name: 'file', filename: 'x', type: 'x/y', repeated: { text: 'a', bytes: ${bytes} } }`;
    const text = written('files.refused', `await stage.call('createFile', { form: [${file}] });`);
    const { result, exchanges } = await run(configuration(url), { suites: suite(text) });
    expect(result).toMatchObject({ stopReason: 'completed', crashed: [] });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([413]);
    expect(exchanges[0]?.request.body.size).toBeLessThan(bytes);
  });

  test('half JSON and a reset are exchanges like any other', async () => {
    const { url } = await listen((request, response) => {
      if (request.url === '/v1/models') return json(response, 200, {});
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id": "fi', () => response.socket?.resetAndDestroy());
    });
    const text = written('files.half', `await stage.call('listFiles'); await stage.call('listFiles');`);
    const { result, exchanges } = await run(configuration(url), { suites: suite(text) });
    expect(result.stopReason).toBe('completed');
    expect(exchanges.map(({ end, response }) => [end.how, response?.body.text])).toEqual([
      ['upstream-reset', '{"id": "fi'],
      ['upstream-reset', '{"id": "fi'],
    ]);
  });
});

describe('limits', () => {
  test('a request budget ends the run, but not the clean-up', async () => {
    const live = new Map<string, string>();
    const { url } = await listen(files(live));
    const text = written('files.endless', `${upload} for (;;) await stage.call('listFiles');`);
    const { result, exchanges } = await run(configuration(url, { maxRequests: 5 }), { suites: suite(text) });
    expect(result).toMatchObject({ stopReason: 'budget', stop: { limit: 'requests', most: 5 } });
    expect([exchanges.length, live.size]).toEqual([6, 0]);
  });

  test('tokens that answers name count', async () => {
    const { url } = await listen((_request, response) =>
      json(response, 200, { usage: { total_tokens: 40 } }),
    );
    const text = written('files.tokens', `for (;;) await stage.call('listFiles');`);
    const { result } = await run(configuration(url, { maxTokens: 100 }), { suites: suite(text) });
    expect(result).toMatchObject({ stopReason: 'budget', spent: { tokens: 120, requests: 3 } });
  });

  test('429 is honoured and the repeat noted', async () => {
    let asked = 0;
    const { url } = await listen((request, response) => {
      if (request.url !== '/v1/files' || asked++ > 0) return json(response, 200, {});
      response.writeHead(429, { 'retry-after': '0' }).end();
    });
    const text = written('files.patient', `await stage.need('listFiles');`);
    const { exchanges, notes } = await run(configuration(url), { suites: suite(text) });
    expect(exchanges.map(({ response }) => response?.status)).toEqual([429, 200]);
    const [first, again] = exchanges.map(({ id }) => id);
    const retry = notes.find(({ note }) => note === 'retry');
    const repeat = { why: 'patience', status: 429, seconds: 0 };
    expect(retry).toMatchObject({ exchange: again, of: first, repeat });
  });

  test('an interrupt hangs up, cleans up and closes', async () => {
    const live = new Map<string, string>();
    const stop = new AbortController();
    const { url } = await listen((request, response) => {
      if (request.url === '/v1/files/slow') stop.abort();
      else files(live)(request, response);
    });
    const text = written(
      'files.slow',
      `${upload} await stage.call('retrieveFile', { path: { file_id: 'slow' } });`,
    );
    const { result, exchanges } = await run(configuration(url), { suites: suite(text), signal: stop.signal });
    expect(result).toMatchObject({ stopReason: 'interrupted', leftovers: [] });
    expect(exchanges.find(({ request }) => request.target.endsWith('slow'))?.end.how).toBe('client-abort');
    expect(live.size).toBe(0);
  });

  test('an interrupt before the start is one too', async () => {
    const { url } = await listen(files(new Map()));
    const { result } = await run(configuration(url), { suites: suite(one), signal: AbortSignal.abort() });
    expect(result.stopReason).toBe('interrupted');
  });

  test('a state that never settles ends with its deadline', async () => {
    const { url } = await listen((_request, response) => json(response, 200, { status: 'validating' }));
    const text = written(
      'files.slow',
      `await stage.poll('listFiles', {}, (json) => json.status === 'done');`,
    );
    const { notes } = await run(configuration(url, { timeout: 0.2 }), { suites: suite(text) });
    expect(notes.find(({ note }) => note === 'deadline')).toMatchObject({
      scenario: 'files.slow',
      state: 'validating',
    });
  });
});
