import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  isolateRuns,
  listenForTest,
  runSuite,
  scenarioText,
  sendJson,
  testConfiguration,
  writeSuite,
} from './testing/runs.ts';

const SECOND = 1000;

isolateRuns();

describe('acrossSeconds', () => {
  const createChunk = () => `data: {"created":${Math.floor(Date.now() / 1000)}}\n\n`;
  const endStream = (response: ServerResponse) => response.end(`${createChunk()}data: [DONE]\n\n`);

  async function runAcrossSeconds(stream: (response: ServerResponse, count: number) => unknown) {
    let streams = 0;
    const { url } = await listenForTest((request, response) => {
      if (request.method !== 'POST') return sendJson(response, 200, {});
      streams += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream(response, streams);
    });
    const body = `{ model: 'a', messages: [], stream: true }`;
    const text = scenarioText(
      'files.seconds',
      `await context.acrossSeconds('createChatCompletion', { body: ${body} });`,
    );
    const { exchanges } = await runSuite(testConfiguration(url), { suites: writeSuite(text) });
    return { streams, last: exchanges.at(-1) };
  }

  test('a stream is requested until one spans two seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: SECOND });
    onTestFinished(() => void vi.useRealTimers());
    const { streams, last } = await runAcrossSeconds(async (response, count) => {
      response.write(createChunk());
      // Several pauses: on a busy machine the client may read nothing during a single one.
      for (let n = 0; n < 4; n += 1) await pause(50);
      vi.setSystemTime(count === 1 ? 2 * SECOND : (count + 1) * SECOND - 100);
      endStream(response);
    });
    expect(streams).toBeGreaterThan(2);
    expect(last?.response?.pieces).toHaveLength(2);
  });

  test('a stream that arrives at once is requested once', async () => {
    expect((await runAcrossSeconds(endStream)).streams).toBe(1);
  });
});

test('a list that never shows the awaited object gets the long wait only once', async () => {
  // The clock of the deadline moves with each request, however long the machine takes.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { url } = await listenForTest((_request, response) => {
    vi.advanceTimersByTime(SECOND);
    sendJson(response, 200, { data: [] });
  });
  const poll = `await context.poll('listFiles', {}, (json) => json.data.length > 0);`;
  const again = `await context.call('listFiles', { query: { purpose: 'assistants' } });`;
  const text = scenarioText('files.slow', `${poll} ${again} ${poll}`);
  const { exchanges } = await runSuite(testConfiguration(url, { timeout: 2 }), {
    suites: writeSuite(text),
  });
  const targets = exchanges.map(({ request }) => request.target);
  // The first poll waits for twice the timeout, and the second for an eighth of that.
  const polls = (count: number) => Array.from({ length: count }, () => '/v1/files');
  expect(targets).toEqual([...polls(4), '/v1/files?purpose=assistants', ...polls(1)]);
});

test.each<[state: string, listener: RequestListener]>([
  ['validating', (_request, response) => sendJson(response, 200, { status: 'validating' })],
  ['HTTP 200', (_request, response) => sendJson(response, 200, {})],
  ['no response', ({ url }, response) => void (url === '/v1/files' || sendJson(response, 200, {}))],
])('polling that does not settle ends at its deadline with the last state: %s', async (state, listener) => {
  const { url } = await listenForTest(listener);
  const text = scenarioText(
    'files.slow',
    `await context.poll('listFiles', {}, (json) => json.status === 'done');`,
  );
  const { notes } = await runSuite(testConfiguration(url, { timeout: 1 }), { suites: writeSuite(text) });
  expect(notes.find(({ note }) => note === 'deadline')).toMatchObject({
    scenario: 'files.slow',
    state,
  });
});
