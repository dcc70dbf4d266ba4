import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpJudgedReference } from './testing/judged-reference.ts';

const { judgeBehind } = setUpJudgedReference();

test('a deletion that times out counts as a leftover if the object still exists', async () => {
  const flags = ['--claim', 'files', '--only', 'file:filename#type', '--timeout', '1'];
  const { stdout, stderr, dir } = await judgeBehind(
    ({ method }) => (method === 'DELETE' ? new Promise<never>(() => {}) : null),
    flags,
  );
  const ledger = readFileSync(join(dir, 'ledger.jsonl'), 'utf8');
  expect(ledger).not.toContain('"gone"');
  expect(stdout + stderr).toMatch(/curl .*-X DELETE .*\/v1\/files\/file/);
});
