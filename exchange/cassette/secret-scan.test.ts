import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { createCassette } from './cassette-writer.ts';
import { scanForSecrets, scanQuickly } from './secret-scan.ts';

const SECRET = 'sk-Canary_42+abc/XYZ-and-more';
const knowing = () => new Redactor({ secrets: [SECRET] });

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-leaks-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Records one response with a recorder that does not know the secret. */
async function record(body: Buffer | string, headers: HeaderPairs): Promise<string> {
  const cassette = createCassette(join(dir, 'c'), traceHeader());
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers });
  recording.piece(Buffer.from(body));
  await recording.end({ how: 'complete' });
  cassette.finish();
  return join(dir, 'c');
}

const deltas = ['sk-Canary_', '42+abc/XYZ', '-and-more']
  .map((d) => `data: ${JSON.stringify({ d })}\n\n`)
  .join('');
const stream: HeaderPairs = [['Content-Type', 'text/event-stream']];

test.each<[string, Buffer | string, HeaderPairs]>([
  ['in a line', `{"a":"${SECRET}"}`, []],
  ['in base64', JSON.stringify({ a: Buffer.from(`x${SECRET}y`).toString('base64') }), []],
  ['in a blob', `${'x'.repeat(1_100_000)}${SECRET}`, []],
  ['in a compressed body', gzipSync(SECRET), [['content-encoding', 'gzip']]],
  ['cut into deltas', deltas, stream],
  ['cut into deltas and compressed', gzipSync(deltas), [...stream, ['content-encoding', 'gzip']]],
])('a known secret %s is found', async (_, body, headers) => {
  const cassette = await record(body, headers);
  const [secret] = scanForSecrets(cassette, knowing(), 'known');
  expect(secret?.what).toBe('a known secret');
  expect(secret?.file).toContain(body.length > 1_000_000 ? 'blobs' : 'cassette.jsonl');
  if (!secret?.file.includes('blobs')) expect(secret?.line).toBeGreaterThanOrEqual(2);
});

test('text that looks like a secret is found without being known, and is not printed', async () => {
  const cassette = await record(
    JSON.stringify({ a: `sk-${'aB3'.repeat(8)}`, b: 'Bearer redacted_1_xxxxxxxxxxxxxxxx' }),
    [],
  );
  const secrets = scanForSecrets(cassette, new Redactor(), 'known-and-shapes');
  expect(secrets).toEqual([{ file: join(cassette, 'cassette.jsonl'), line: 4, what: 'an API key' }]);
});

test('a first look sees what looks like a secret in lines and blobs, of what is not too large', async () => {
  const key = `sk-${'aB3'.repeat(8)}`;
  const cassette = await record(`${key} ${'x'.repeat(20_000)}`, []);
  expect(scanQuickly(cassette, 1e6)).toEqual([
    { file: expect.stringContaining('blobs'), line: null, what: 'an API key' },
  ]);
  expect(scanQuickly(cassette, 20_000)).toBeNull();
});

test('nothing is found where nothing is', async () => {
  const cassette = await record('{"id":"file-abcdefghijklmnopqrstuvwx"}', []);
  expect(scanQuickly(cassette, 1e6)).toEqual([]);
  expect(scanForSecrets(cassette, knowing(), 'known-and-shapes')).toEqual([]);
});
