import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-rerecord-'));
let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true, force: true });
});

function record(cassette: string, paths: readonly string[], ...flags: readonly string[]) {
  const gets = paths.map((path) => `await (await fetch(process.env.OPENAI_BASE_URL + '${path}')).text();`);
  const client = [process.execPath, '--input-type=module', '-e', gets.join(' ')];
  const baseUrl = flags.includes('--base-url') ? [] : ['--base-url', reference.url];
  return runAssay(['record', ...baseUrl, '--cassette', join(folder, cassette), ...flags, '--', ...client]);
}

test('a recording that is smaller than the one that it replaces says by how much', async () => {
  await record('session', ['/models']);
  const extended = await record('session', ['/models/chat-large', '/files'], '--mode', 'new');
  expect([extended.code, extended.stderr]).toEqual([0, expect.not.stringContaining('The replaced cassette')]);
  const again = await record('session', ['/models']);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain(
    'The replaced cassette held 3 exchanges, 2 more than were recorded: exchanges that --mode new had added are missing unless the client sent them again.',
  );
  const same = await record('session', ['/models']);
  expect([same.code, same.stderr]).toEqual([0, expect.not.stringContaining('The replaced cassette')]);
});

test('a recording in which every answer is 401 does not replace an earlier cassette', async () => {
  await record('kept', ['/models']);
  const readKept = () => readFileSync(join(folder, 'kept', 'cassette.jsonl'), 'utf8');
  const earlier = readKept();
  const denying = await serveReference({ apiKey: 'sk-assay-key-of-a-gateway' });
  const denied = await record('kept', ['/models'], '--base-url', denying.url);
  await denying.close();
  expect(denied.stderr).toContain(
    `As the service answered 401 or 403 to every request, the cassette in ${join(folder, 'kept')} stays as it was.`,
  );
  expect(denied.code).toBe(1);
  expect(readKept()).toBe(earlier);
});

test('a recording without any response says that the next one replaces it, and is replaced', async () => {
  // Nothing listens on port 1; another test may get the port of a service that has ended.
  const down = await record('down', ['/models'], '--base-url', 'http://127.0.0.1:1/v1');
  expect([down.code, down.stderr]).toEqual([
    2,
    expect.stringContaining('start the service and record again, which replaces this cassette'),
  ]);
  const up = await record('down', ['/models']);
  expect([up.code, up.stderr]).toEqual([0, expect.not.stringContaining('None of them was answered')]);
  expect((await runAssay(['show', join(folder, 'down')])).stdout).toMatch(/^e1 .* 200 /m);
});
