import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay, serveInProcess } from './testing/run-assay.ts';

test('a violation is printed once, when it occurs; check of the cassette gives the verdicts of the report', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const reference = await serveReference();
  const service = await startBreakingProxy(reference.url, [
    { operation: 'createFile', pointer: '/bytes', value: 'many' },
    { operation: 'listFiles', pointer: '/object', value: 'lists' },
  ]);
  const watch = await serveInProcess(['watch', '--base-url', service.url, '--report-dir', folder]);
  try {
    const upload = async (text: string) => {
      const form = new FormData();
      form.append('purpose', 'batch');
      form.append('file', new Blob([text]), 'x.jsonl');
      const answer = await fetch(`${watch.url}/files`, { method: 'POST', body: form });
      return ((await answer.json()) as { id: string }).id; // as: the proxy breaks another field
    };
    const line = JSON.stringify({
      custom_id: 'a',
      method: 'POST',
      url: '/v1/completions',
      body: { a: 'x'.repeat(99) },
    });
    // The upload is large enough for a separate blob.
    const id = await upload(Array(200).fill(line).join('\n'));
    await upload(line);
    expect((await (await fetch(`${watch.url}/files/${id}/content`)).text()).length).toBeGreaterThan(20_000);
    await watch.waitForText('file:bytes#type');
    await fetch(`${watch.url}/files`);
    const code = await watch.stop('SIGINT');
    const output = watch.printed.stdout;
    expect(code).toBe(1);
    expect(output.split('FAIL  file:bytes#type\n      MUST').length - 1).toBe(1);
    expect(output).toMatch(
      /at {8}\/bytes\n {6}expected .*integer.*\n {6}actual {4}"many"\n {6}> POST \/v1\/files/,
    );
    expect(output).toContain('FAIL  file.list:object#const');
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
    expect(report.claims).toEqual(['files']);
    expect(report.cost.requests).toBe(4);
    const checked = join(folder, 'checked');
    const flags = ['--claim', 'files', '--report', 'json', '--report-dir', checked];
    expect((await runAssay(['check', join(folder, 'cassette'), ...flags])).code).toBe(1);
    // as: its schema is tested elsewhere
    const checkedReport = JSON.parse(readFileSync(join(checked, 'report.json'), 'utf8')) as Report;
    expect(report.requirements).toEqual(checkedReport.requirements);
  } finally {
    await watch.stop('SIGINT');
    await Promise.all([service.close(), reference.close()]);
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['is not demanded in the list once it was removed by a call outside the specification', true, 0],
  ['is demanded otherwise', false, 1],
])('a message %s', async (_, isRemoved, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const reference = await serveReference();
  // The list claims to be complete, but has only the newest message.
  const service = await startBreakingProxy(reference.url, [
    { operation: 'listMessages', pointer: '/has_more', value: false },
  ]);
  const watch = await serveInProcess(['watch', '--base-url', service.url, '--report-dir', folder]);
  try {
    const send = async (method: string, path: string, body?: object): Promise<string> => {
      const answer = await fetch(`${watch.url}/${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'vendor-beta': 'assistants=v2' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { id: string }).id; // as: each answer here has one, or none is needed
    };
    const thread = await send('POST', 'threads', {});
    const createMessage = () =>
      send('POST', `threads/${thread}/messages`, { role: 'user', content: 'Hello' });
    const message = await createMessage();
    await createMessage();
    if (isRemoved) await send('DELETE', `threads/${thread}/messages/${message}`);
    await send('GET', `threads/${thread}/messages?limit=1`);
    expect(await watch.stop('SIGINT')).toBe(code);
  } finally {
    await watch.stop('SIGINT');
    await Promise.all([service.close(), reference.close()]);
    rmSync(folder, { recursive: true });
  }
});

test('a secret that became known only after it had been judged is in no file of the report folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const reference = await serveReference();
  // The secret is longer than what a finding shows of a value: not even a part of it may appear.
  const secret = `my-private-llm-key-${'of-many-words-'.repeat(30)}1`;
  const service = await startBreakingProxy(reference.url, [
    { operation: 'listFiles', pointer: '/object', value: secret },
  ]);
  const flags = ['--base-url', service.url, '--report-dir', folder, '--report', 'json,html,markdown'];
  const watch = await serveInProcess(['watch', ...flags]);
  try {
    await (await fetch(`${watch.url}/files`)).text();
    await (await fetch(`${watch.url}/models?api_key=${secret}`)).text();
    expect(await watch.stop('SIGINT')).toBe(1);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
    expect(texts.filter((text) => text.includes('file.list:object#const')).length).toBeGreaterThan(1);
    expect(texts.filter((text) => text.includes('my-private-llm-key'))).toEqual([]);
  } finally {
    await watch.stop('SIGINT');
    await Promise.all([service.close(), reference.close()]);
    rmSync(folder, { recursive: true });
  }
});

test('the reason for a failed start is printed', async () => {
  const reference = await serveReference();
  const usedPort = new URL(reference.url).port;
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const flags = ['--base-url', reference.url, '--port', usedPort, '--report-dir', folder];
  try {
    const { code, stderr } = await runAssay(['watch', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the port is in use')]);
  } finally {
    await reference.close();
    rmSync(folder, { recursive: true });
  }
});

test('with --log json, every line of stderr is JSON, also the one about a command that failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const reference = await serveReference();
  const program = "fetch(process.env.OPENAI_BASE_URL + '/models').then(() => process.exit(3))";
  const flags = ['--base-url', reference.url, '--report-dir', folder, '--log', 'json'];
  const { code, stderr } = await runAssay(['watch', ...flags, '--', process.execPath, '-e', program]);
  await reference.close();
  rmSync(folder, { recursive: true });
  const events: unknown[] = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, events.at(-1)]).toEqual([
    3,
    expect.objectContaining({ message: expect.stringContaining('failed with exit code 3') }),
  ]);
});

test('watch uses the configuration of the gate, and reports no entry of its baseline as stale', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-watch-gate-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const reference = await serveReference();
  onTestFinished(() => reference.close());
  const known = [{ id: 'listModels:answer#json', signatures: ['x'], reason: 'fixed soon' }];
  writeFileSync(join(cwd, 'baseline.json'), JSON.stringify({ format: 1, known }));
  const target = { baseUrl: reference.url, claim: ['models'] };
  const configuration = { format: 1, ...target, baseline: 'baseline.json' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(configuration));
  const clientCode = "await fetch(process.env.OPENAI_BASE_URL + '/models')";
  const client = ['--', process.execPath, '--input-type=module', '-e', clientCode];
  const watched = await runAssay(['watch', ...client], { cwd });
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('\nconforms\n')]);
  expect(watched.stdout).not.toContain('the baseline lists');
  const gate = await runAssay(['run', '--only', 'listModels:*', '--strict-baseline'], { cwd });
  expect([gate.code, gate.stdout]).toEqual([
    1,
    expect.stringContaining('which passes now: remove the entry'),
  ]);
});

test('the help lists the exit codes', async () => {
  const { code, stdout } = await runAssay(['watch', '--help']);
  const words = stdout.replaceAll(/\s+/g, ' ');
  expect([code, words]).toEqual([
    0,
    expect.stringContaining(
      'Exits with the code of the command; if that is 0, with 0 if the target conforms, 1 if it does not, 2 if that ' +
        'could not be decided or nothing passed.',
    ),
  ]);
});

test('a service that does not respond is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const unreachable = 'http://127.0.0.1:1/v1';
  const program = "fetch(process.env.OPENAI_BASE_URL + '/models')";
  const flags = ['--base-url', unreachable, '--report-dir', folder, '--', process.execPath, '-e', program];
  const { code, stderr } = await runAssay(['watch', ...flags]);
  rmSync(folder, { recursive: true });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`Nothing answers at ${unreachable}: ECONNREFUSED\n`),
  ]);
});

test('traffic beyond --max-disk is judged but not stored, and states beyond --max-memory are dropped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'));
  const reference = await serveReference();
  const service = await startBreakingProxy(reference.url, [
    { operation: 'listFiles', pointer: '/object', value: 'lists' },
  ]);
  const bounds = ['--max-disk', '1', '--max-memory', '1'];
  const watch = await serveInProcess(['watch', '--base-url', service.url, '--report-dir', folder, ...bounds]);
  try {
    for (let n = 0; n < 8; n++) {
      const form = new FormData();
      form.append('purpose', 'assistants');
      form.append('file', new Blob([`${n}`.repeat(300_000)]), 'x.txt');
      await (await fetch(`${watch.url}/files`, { method: 'POST', body: form })).text();
    }
    await (await fetch(`${watch.url}/files`)).text();
    expect(await watch.stop('SIGINT')).toBe(1);
    const errors = watch.printed.stderr;
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
    expect(report.cost.requests).toBe(9);
    const broken = report.requirements.find(({ id }) => id === 'file.list:object#const');
    expect(broken?.findings).toMatchObject([{ exchange: 'e9' }]);
    expect(errors).toContain(
      'the first 4 exchanges are stored; 5 more, beyond --max-disk, were judged but not stored',
    );
    expect(errors).toMatch(/\d+ states? dropped because of --max-memory/);
    const { header, items } = await readTrace(join(folder, 'cassette'));
    expect([header.target.baseUrl, items.length]).toEqual([service.url, 4]);
  } finally {
    await watch.stop('SIGINT');
    await Promise.all([service.close(), reference.close()]);
    rmSync(folder, { recursive: true });
  }
});
