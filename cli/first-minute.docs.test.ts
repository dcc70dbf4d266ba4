import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHAT_FLAGS, prepareChatRuns } from './testing/chat-runs.ts';
import { launchAssay, runAssay } from './testing/run-assay.ts';

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

test('a run that cannot reach its target writes a report if there is no earlier one', async () => {
  expect((await chatRuns.run('http://127.0.0.1:1', ...CHAT_FLAGS)).code).toBe(2);
  expect(JSON.parse(chatRuns.readReportFile('report.json')).stopReason).toBe('target-unreachable');
});

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

test('one model for all roles is reported as given, not as found', async () => {
  const { stdout, stderr } = await chatRuns.run(
    chatRuns.referenceUrl(),
    ...CHAT_FLAGS,
    '--model',
    'chat-large',
  );
  expect(stderr).toMatch(/^--model chat-large serves chat/m);
  expect(`${stdout}${stderr}`).not.toContain('found by trial');
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

test('watch uses the configuration of the gate, and makes no entry of its baseline stale', async () => {
  const known = [{ id: 'listModels:answer#json', signatures: ['x'], reason: 'mended soon' }];
  writeFileSync(join(chatRuns.cwd(), 'baseline.json'), JSON.stringify({ format: 1, known }));
  const configuration = {
    format: 1,
    baseUrl: chatRuns.referenceUrl(),
    claim: ['models'],
    baseline: 'baseline.json',
  };
  writeFileSync(join(chatRuns.cwd(), 'assay.config.json'), JSON.stringify(configuration));
  const clientCode = "await fetch(process.env.OPENAI_BASE_URL + '/models')";
  const client = ['--', process.execPath, '--input-type=module', '-e', clientCode];
  const watched = await runAssay(['watch', ...client], { cwd: chatRuns.cwd() });
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('\nconforms\n')]);
  expect(watched.stdout).not.toContain('the baseline lists');
  const gate = await runAssay(['run', '--only', 'listModels:*', '--strict-baseline'], {
    cwd: chatRuns.cwd(),
  });
  expect([gate.code, gate.stdout]).toEqual([
    1,
    expect.stringContaining('which passes now: remove the entry'),
  ]);
});

test('client without a command says what it waits for', async () => {
  const child = launchAssay(['client', '--report-dir', join(chatRuns.cwd(), 'client')]);
  child.stdout.resume();
  let stderr = '';
  for await (const piece of child.stderr) {
    stderr += String(piece);
    if (stderr.includes('\n')) child.kill('SIGTERM');
  }
  expect(stderr).toMatch(
    /^Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1 /,
  );
});
