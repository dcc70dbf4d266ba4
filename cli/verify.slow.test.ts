import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('verify counts the drifted exchanges and places', async () => {
  const reference = await startReference();
  const flags = ['--base-url', reference.url, '--ignore', '/data/*/id'];
  const { code, stdout, stderr } = await runAssay(['verify', CASSETTE, ...flags]);
  await reference.close();
  // The messages of the cassette have `attachments`, those of the reference `file_ids`.
  expect(stderr).toBe('15 requests sent, 0 skipped, 1 drifted in 4 places\n');
  expect(stdout.match(/(?<=^drift {2})\S+|(?<=^ +schema at ).*/gm)).toEqual(
    [0, 1].flatMap((n) => ['attachments', 'file_ids'].flatMap((member) => ['e10', `/data/${n}/${member}`])),
  );
  expect(code).toBe(1);
});

test('verify blames the path of the base URL if every response is 404', async () => {
  const reference = await startReference();
  const url = reference.url.replace('/v1', '/beside/v1');
  const { code, stdout, stderr } = await runAssay(['verify', CASSETTE, '--base-url', url]);
  await reference.close();
  const drifted = [...stdout.matchAll(/^drift {2}(\S+)/gm)].map(([, id]) => id);
  expect(stderr).toContain(` ${new Set(drifted).size} drifted in ${drifted.length} places\n`);
  expect(stdout).toContain('\n       status\n       recorded  200\n       now       404\n');
  expect(stderr).toContain(`Every response is 404: check the path of --base-url ${url}`);
  expect(code).toBe(1);
});

test('verify exits with 2 if nothing answers, and says so', async () => {
  const { code, stdout, stderr } = await runAssay([
    'verify',
    CASSETTE,
    '--base-url',
    'http://127.0.0.1:1/v1',
  ]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^Nothing answers at http:\S+: connect ECONNREFUSED \S+\n$/);
});

test('verify finds a finish_reason that comes early in a stream', async () => {
  const [before, after] = await Promise.all([
    startReference(),
    startReference({ fault: 'chat.stream.finish-reason-ends-choice' }),
  ]);
  const cassette = join(folder, 'stream');
  const body = JSON.stringify({
    model: 'chat-large',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  });
  const script = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }).then((answer) => answer.text())`;
  await runAssay([
    'record',
    '--base-url',
    before.url,
    '--cassette',
    cassette,
    '--',
    process.execPath,
    '-e',
    script,
  ]);
  expect((await runAssay(['verify', cassette, '--base-url', before.url])).code).toBe(0);
  const { code, stdout } = await runAssay(['verify', cassette, '--base-url', after.url]);
  await Promise.all([before.close(), after.close()]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    'stream-value at event 1 /choices/0/finish_reason\n       recorded  null, then "stop"\n       now       "stop", then null, then "stop"\n',
  );
});

test('verify prints values as JSON, and lengths and types in words', async () => {
  const before = { items: [1, 2], name: 'a', owner: 'me' };
  let now: object = before;
  const { url, close } = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(now));
  });
  const cassette = join(folder, 'words');
  const script = "fetch(process.env.OPENAI_BASE_URL + '/x')";
  await runAssay(['record', '--base-url', url, '--cassette', cassette, '--', process.execPath, '-e', script]);
  now = { items: [], name: 'b' };
  const { code, stdout } = await runAssay(['verify', cassette, '--base-url', url]);
  await close();
  expect(code).toBe(1);
  expect(stdout).toContain('length at /items\n       recorded  2 elements\n       now       0 elements\n');
  expect(stdout).toContain('value at /name\n       recorded  "a"\n       now       "b"\n');
  expect(stdout).toContain('schema at /owner\n       recorded  a string\n       now       absent\n');
});
