import { expect, test } from 'vitest';
import { CHAT_FLAGS, prepareChatRuns } from './testing/chat-runs.ts';
import { runAssay } from './testing/run-assay.ts';

const chatRuns = prepareChatRuns();

test('show lists the exchanges of a cassette', async () => {
  const { stdout } = await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const [, id = ''] = /assay show assay-report\/cassette (e\d+)/.exec(stdout) ?? [];
  const listed = await runAssay(['show', 'assay-report/cassette'], { cwd: chatRuns.cwd() });
  expect(listed.code).toBe(0);
  const lines = listed.stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^e1 +(GET|POST) \/v1\//);
  expect(lines.find((line) => line.startsWith(`${id} `))).toMatch(
    /POST \/v1\/chat\/completions +200 {2}\d+ events {2}[\d.]+ms {2}chat\./,
  );
});

test('show --request-body prints the body of one request', async () => {
  const { stdout } = await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const [, id = ''] = /assay show assay-report\/cassette (e\d+)/.exec(stdout) ?? [];
  const body = await runAssay(['show', 'assay-report/cassette', id, '--request-body'], {
    cwd: chatRuns.cwd(),
  });
  expect(JSON.parse(body.stdout)).toMatchObject({ stream: true });
});

test('show --request-body rejects several exchanges', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const flags = ['assay-report/cassette', 'e1', 'e2', '--request-body'];
  const many = await runAssay(['show', ...flags], { cwd: chatRuns.cwd() });
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining('--request-body takes one exchange')]);
});
