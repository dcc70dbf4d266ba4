import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-why-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('replay --why says that no recording answers a request', async () => {
  const file = join(folder, 'request.txt');
  writeFileSync(file, 'GET /v1/models\n\n');
  const { code, stdout } = await runAssay(['replay', CASSETTE, '--why', file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('No recorded exchange answers  GET /v1/models'),
  ]);
});

test('replay --why rejects a file that is not a request', async () => {
  const file = join(folder, 'no-request.txt');
  writeFileSync(file, 'not a request');
  const { code, stderr } = await runAssay(['replay', CASSETTE, '--why', file]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not a request line')]);
});
