import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

test('a file that is not a ledger is rejected', async () => {
  const { code, stderr } = await runAssay(['cleanup', '--ledger', 'package.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('package.json is not the ledger of a run');
});

test('a control character in the URL of a ledger does not reach the terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-cleanup-'));
  const ledger = join(folder, 'ledger.jsonl');
  const url = 'http://127.0.0.1:9/v1';
  const header = { ledger: 1, baseUrl: `${url}\u001b`, betaHeader: 'Vendor-Beta', tag: 'assay-0123456789' };
  writeFileSync(ledger, `${JSON.stringify(header)}\n`);
  const { code, stdout } = await runAssay(['cleanup', '--ledger', ledger, '--base-url', url]);
  rmSync(folder, { recursive: true });
  expect([code, stdout]).toEqual([0, `0 objects gone from ${url}\\u001b, 0 left\n`]);
});
