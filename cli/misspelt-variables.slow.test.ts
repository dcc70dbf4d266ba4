import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

const MISSPELT_NOTICE =
  /^The environment variable ASSAY_BASEURL sets no option of assay; the nearest name that does is ASSAY_BASE_URL\.\n/;

const env = { ASSAY_BASEURL: 'http://127.0.0.1:1' };
const folder = mkdtempSync(join(tmpdir(), 'assay-misspelt-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a run warns about a misspelt variable, and uses the embedded reference', async () => {
  const flags = ['--claim', 'listModels', '--report-dir', join(folder, 'run')];
  const { code, stdout, stderr } = await runAssay(['run', ...flags], { env });
  expect(stderr).toMatch(MISSPELT_NOTICE);
  expect([code, stdout]).toEqual([0, expect.stringContaining('the target is the embedded reference')]);
});

test.for([
  ['run', '--timeout', 'long'],
  ['verify', 'no-such-cassette', '--base-url', 'http://127.0.0.1:1'],
  ['scan', 'no-such-file'],
  ['serve', '--choices', 'nonsense', '--no-config'],
])('a misspelt variable is reported before any error of %s', async (args) => {
  const { code, stderr } = await runAssay(args, { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(MISSPELT_NOTICE)]);
  expect(stderr.split('ASSAY_BASEURL')).toHaveLength(2);
  expect(stderr.trim().split('\n').length).toBeGreaterThan(1);
});

test('a variable that a flag or the configuration file names is not reported as misspelt', async () => {
  const cwd = mkdtempSync(join(folder, 'named-'));
  writeFileSync(join(cwd, 'assay.config.json'), '{"format":1,"apiKeyEnv":"ASSAY_OF_FILE"}');
  const { stderr } = await runAssay(['scan', 'no-such-file', '--secret-env', 'ASSAY_OF_FLAG'], {
    env: { ASSAY_OF_FILE: 'a', ASSAY_OF_FLAG: 'b', ASSAY_OF: 'c' },
    cwd,
  });
  expect(stderr.match(/ASSAY_\w+(?= sets no option)/g)).toEqual(['ASSAY_OF']);
});
