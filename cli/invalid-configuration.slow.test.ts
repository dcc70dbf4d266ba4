import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

test.for([
  [{ format: 2 }, 'assay.config.json has the format 2; this version of assay reads format 1.'],
  [{ format: 1, modle: {} }, 'Unknown option "modle" in assay.config.json (did you mean model?).'],
  [
    { claim: ['chat', 'listModel'] },
    'claim in assay.config.json is "listModel"; it takes all or auto alone, or families',
  ],
] as const)('a run rejects the configuration %j', async ([values, message]) => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-invalid-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(values));
  const { code, stderr } = await runAssay(['run'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
