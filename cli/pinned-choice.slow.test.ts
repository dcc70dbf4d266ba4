import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = 'cassettes/assistant-session';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-pinned-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a pinned choice is a reason of the verdict if and only if the target takes another alternative', async () => {
  const readReasons = async (alternative: string) => {
    const file = join(folder, 'pinned.json');
    const choices = { 'runs.usage.while-waiting': alternative };
    writeFileSync(file, JSON.stringify({ format: 1, name: 'own', errata: [], choices }));
    const out = join(folder, 'pinned');
    await runAssay(['check', CASSETTE, '--dialect', file, '--report', 'json', '--report-dir', out]);
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).summary.reasons;
  };
  expect(await readReasons('told')).toContain(
    'the choice runs.usage.while-waiting is "null", but the dialect pins it to "told"',
  );
  expect((await readReasons('null')).join()).not.toContain('runs.usage.while-waiting');
});
