import { expect, test } from 'vitest';
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

isolateRuns();

test('a request budget ends the run, but not the cleanup', async () => {
  const live = new Map<string, string>();
  const { url } = await listenForTest(fileService(live));
  const text = scenarioText('files.endless', `${uploadCall} for (;;) await context.call('listFiles');`);
  const { result, exchanges } = await runSuite(testConfiguration(url, { maxRequests: 5 }), {
    suites: writeSuite(text),
  });
  expect(result).toMatchObject({ stopReason: 'budget', stop: { limit: 'requests', most: 5 } });
  expect([exchanges.length, live.size]).toEqual([6, 0]);
});

test('cleanup does not search for the object of a request that a budget kept from being sent', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const text = scenarioText('files.endless', `for (;;) { ${uploadCall} }`);
  const { exchanges } = await runSuite(testConfiguration(url, { maxRequests: 2 }), {
    suites: writeSuite(text),
  });
  expect(exchanges.map(({ request }) => request.method)).toEqual(['POST', 'POST', 'DELETE', 'DELETE']);
});

test('a token budget ends the run once the reported tokens reach it', async () => {
  const { url } = await listenForTest((_request, response) =>
    sendJson(response, 200, { usage: { total_tokens: 40 } }),
  );
  const text = scenarioText('files.tokens', `for (;;) await context.call('listFiles');`);
  const { result } = await runSuite(testConfiguration(url, { maxTokens: 100 }), {
    suites: writeSuite(text),
  });
  expect(result).toMatchObject({ stopReason: 'budget', spent: { tokens: 120, requests: 3 } });
});

test('an interrupt aborts requests, and what was created is removed', async () => {
  const live = new Map<string, string>();
  const stop = new AbortController();
  const { url } = await listenForTest((request, response) => {
    if (request.url === '/v1/files/slow') stop.abort();
    else fileService(live)(request, response);
  });
  const text = scenarioText(
    'files.slow',
    `${uploadCall} await context.call('retrieveFile', { path: { file_id: 'slow' } });`,
  );
  const { result, exchanges } = await runSuite(testConfiguration(url), {
    suites: writeSuite(text),
    signal: stop.signal,
  });
  expect(result).toMatchObject({ stopReason: 'interrupted', leftovers: [] });
  expect(exchanges.find(({ request }) => request.target.endsWith('slow'))?.end.how).toBe('client-abort');
  expect(live.size).toBe(0);
});

test('an interrupt before the start ends the run, too', async () => {
  const { url } = await listenForTest(fileService(new Map()));
  const { result, exchanges } = await runSuite(testConfiguration(url), {
    suites: writeSuite(oneScenario),
    signal: AbortSignal.abort(),
  });
  expect([result.stopReason, exchanges]).toEqual(['interrupted', []]);
});
