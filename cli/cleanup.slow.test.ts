import { expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

test('a file that is not a ledger is rejected', async () => {
  const { code, stderr } = await runAssay(['cleanup', '--ledger', 'package.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('package.json is not the ledger of a run');
});
