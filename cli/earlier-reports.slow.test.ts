import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsOfConfiguration } from '../pipeline/programmatic-run.ts';
import { run } from '../pipeline/run.ts';
import { CHAT_FLAGS, prepareChatRuns } from './testing/chat-runs.ts';
import { runAssay } from './testing/run-assay.ts';

const chatRuns = prepareChatRuns();
const FILES = ['report.json', 'junit.xml', 'ledger.jsonl', 'cassette/cassette.jsonl'];

test('a run that cannot reach its target keeps the report of the previous run', async () => {
  expect((await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS)).code).toBe(1);
  const names = readdirSync(join(chatRuns.cwd(), 'assay-report'));
  const before = FILES.map(chatRuns.readReportFile);
  const gone = await chatRuns.run('http://127.0.0.1:1', ...CHAT_FLAGS);
  expect(gone.code).toBe(2);
  expect(gone.stderr).toContain('assay-report keeps the report of the previous run; this one wrote none.');
  expect(gone.stdout).not.toContain('written to');
  expect(readdirSync(join(chatRuns.cwd(), 'assay-report'))).toEqual(names);
  expect(FILES.map(chatRuns.readReportFile)).toEqual(before);
});

test('a run whose model the target refuses keeps the report of the previous run', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const before = chatRuns.readReportFile('report.json');
  expect((await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS, '--model', 'chat=none-such')).code).toBe(
    2,
  );
  expect(chatRuns.readReportFile('report.json')).toBe(before);
});

test('a run that is interrupted before its first call keeps the report of the previous run', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const before = FILES.map(chatRuns.readReportFile);
  const reportDir = join(chatRuns.cwd(), 'assay-report');
  const settings = settingsOfConfiguration({ baseUrl: chatRuns.referenceUrl(), reportDir });
  const { report, written } = await run(settings, { signal: AbortSignal.abort() });
  expect([report.stopReason, written]).toEqual(['interrupted', []]);
  expect(FILES.map(chatRuns.readReportFile)).toEqual(before);
});

test('a run that cannot reach its target writes a report if there is no earlier one', async () => {
  expect((await chatRuns.run('http://127.0.0.1:1', ...CHAT_FLAGS)).code).toBe(2);
  expect(JSON.parse(chatRuns.readReportFile('report.json')).stopReason).toBe('target-unreachable');
});

test('a run keeps the reports of an earlier run in formats that it does not write', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS, '--report', 'html,json');
  const page = chatRuns.readReportFile('report.html');
  const { stderr } = await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  expect(stderr).toContain('report.html of an earlier run: now in assay-report/earlier');
  expect(chatRuns.readReportFile('earlier/report.html')).toBe(page);
});

test('watch and client do not write into the folder of a run', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const before = chatRuns.readReportFile('report.json');
  await runAssay(['client', '--', process.execPath, '-e', '0'], { cwd: chatRuns.cwd() });
  await runAssay(['watch', '--base-url', chatRuns.referenceUrl(), '--', process.execPath, '-e', '0'], {
    cwd: chatRuns.cwd(),
  });
  expect(readdirSync(chatRuns.cwd()).toSorted()).toEqual(['assay-client', 'assay-report', 'assay-watch']);
  expect(chatRuns.readReportFile('report.json')).toBe(before);
  const named = await runAssay(['client', '--report-dir', 'assay-report', '--', 'true'], {
    cwd: chatRuns.cwd(),
  });
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('has the report of a run')]);
});
