import { expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import {
  type ArrivedRequest,
  type ChangedRequest,
  type OwnAnswer,
  startAnsweringProxy,
} from './testing/answering-proxy.ts';
import { listFailing, MODEL_FLAGS, readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';

const CHAT = '/v1/chat/completions';
const { judge, judgeBehind } = setUpJudgedReference();

async function judgeChat(change: (arrived: ArrivedRequest) => ChangedRequest | OwnAnswer | null) {
  const result = await judgeBehind(
    (arrived) => (arrived.target === CHAT ? change(arrived) : null),
    [...MODEL_FLAGS, '--claim', 'chat', '--report', 'terminal,json'],
  );
  const report = readReportIn(result.dir);
  return { ...result, report, failing: listFailing(report) };
}

function removeMembers(body: string, names: readonly string[]): string {
  try {
    const kept = Object.entries(JSON.parse(body)).filter(([name]) => !names.includes(name));
    return JSON.stringify(Object.fromEntries(kept));
  } catch {
    return body;
  }
}

test('one line reports a service that never streams', async () => {
  const { code, stdout } = await judgeChat(({ body }) => ({
    forward: removeMembers(body, ['stream', 'stream_options']),
  }));
  expect(code).toBe(1);
  expect(stdout.match(/^.*do(?:es)? not work at all.*$/gm)).toEqual([
    expect.stringMatching(
      /^streaming does not work at all in createChatCompletion: no answer to "stream": true contains an event; \d+ requirements without evidence for it$/,
    ),
  ]);
  expect(stdout).not.toContain('answered 200 to a valid request');
});

test('one line reports a service that answers 500 to every request for a stream', async () => {
  const { code, stdout, failing } = await judgeChat(({ body }) =>
    body.includes('"stream":true') ? { status: 500 } : null,
  );
  expect(code).toBe(1);
  expect(stdout.match(/^.*do(?:es)? not work at all.*$/gm)).toEqual([
    'streaming does not work at all in createChatCompletion: "stream": true is answered 500',
  ]);
  expect(stdout).toMatch(
    /^\d+ requirements inconclusive: answers 500 to stream = true: (\d+) of \1 requests with it, 0 of \d+ without: /m,
  );
  expect(failing).not.toContain('createChatCompletion:body.temperature#maximum.accepted');
});

test('one line reports a service that ignores tools', async () => {
  const { code, stdout } = await judgeChat(({ body }) => ({
    forward: removeMembers(body, ['tools', 'tool_choice']),
  }));
  expect(code).toBe(1);
  expect(stdout.match(/^.*do(?:es)? not work at all.*$/gm)).toEqual([
    expect.stringMatching(
      /^tools do not work at all in createChatCompletion: no answer calls a function, not even where tool_choice names one; \d+ requirements without evidence for it$/,
    ),
  ]);
  // The line counts the consequences, so they are not listed again by scenario.
  expect(stdout).not.toMatch(/without evidence: scenario chat\.tools\./);
});

test.each(['application/json', 'text/plain; charset=utf-8'])(
  'a stream with the media type %s fails one requirement, and is judged',
  async (streamType) => {
    const { code, failing, report, stdout } = await judgeChat(({ body }) => ({ forward: body, streamType }));
    expect([code, failing]).toEqual([1, ['createChatCompletion:stream#contentType']]);
    const events = report.requirements.filter(({ id }) => id.startsWith('chat.stream.'));
    expect(new Set(events.map(({ verdict }) => verdict))).toEqual(new Set(['pass']));
    expect(stdout).not.toContain('does not work at all');
  },
);

test('other faults of a stream with a wrong media type are found', async () => {
  const faulty = await startReference({ pace: 5, fault: 'chat-done-missing' });
  const target = await startAnsweringProxy(faulty.url, ({ body }) => ({
    forward: body,
    streamType: 'text/plain',
  }));
  const flags = ['--claim', 'chat', '--only', 'chat.stream.done-ends-stream', '--report', 'terminal'];
  const { code, stdout } = await judge(target.url, [...MODEL_FLAGS, ...flags]);
  await Promise.all([target.close(), faulty.close()]);
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAIL  chat.stream.done-ends-stream')]);
});

test('if streams and tools are missing, no finding has an empty or negative value', async () => {
  const { report } = await judgeChat(({ body }) => ({ forward: removeMembers(body, ['stream', 'tools']) }));
  const values = report.requirements.flatMap(({ findings }) =>
    findings.flatMap(({ actual, expected }) => [actual, expected]),
  );
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter((value) => value === '' || value === '""' || Number(value) < 0)).toEqual([]);
});
