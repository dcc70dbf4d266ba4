import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { createCassette } from './cassette-writer.ts';

/** Has only characters that a boundary can have. */
const SECRET = 'key-Canary-42-abc-XYZ-and-more';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-known-secrets-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('a secret known from the start is not written to the header', async () => {
  const header = traceHeader({ target: { baseUrl: `http://127.0.0.1/${SECRET}/v1`, name: 'x' } });
  const cassette = createCassette(dir, header, { redactor: new Redactor({ secrets: [SECRET] }) });
  await cassette.begin({ method: 'GET', target: '/v1/models', headers: [] }).end({ how: 'complete' });
  expect(cassette.finish()).toBeNull();
  expect(readFileSync(join(dir, 'cassette.jsonl'), 'utf8')).not.toContain(SECRET);
});

test('a boundary and a reason phrase that contain a known secret are redacted', async () => {
  const cassette = createCassette(dir, traceHeader(), { redactor: new Redactor({ secrets: [SECRET] }) });
  const recording = cassette.begin({
    method: 'POST',
    target: '/v1/files',
    headers: [['content-type', `multipart/form-data; boundary=----formdata-undici-${SECRET}`]],
  });
  recording.response({ status: 200, reason: `OK ${SECRET}`, headers: [] });
  await recording.end({ how: 'complete' });
  expect(cassette.finish()).toBeNull();
  expect(readFileSync(join(dir, 'cassette.jsonl'), 'utf8')).toContain('"reason":"OK redacted_1_');
  expect(readFileSync(join(dir, 'timing.jsonl'), 'utf8')).toContain(
    '"boundary":"----formdata-undici-redacted_1_',
  );
});
