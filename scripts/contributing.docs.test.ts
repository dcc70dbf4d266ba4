// Follows the example of CONTRIBUTING.md in a copy of the sources: the new requirement is in the ledger, is judged
// against the reference, and fails where its mutation applies.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findCodeBlock, readDocument } from './testing/documents.ts';
import { copySources, runInCopy } from './testing/source-copy.ts';

const ID = 'models.list.named';

const copy = copySources();
const CONTRIBUTING = readDocument('CONTRIBUTING.md');

const [GENERATE = '', RUN = '', EXPLAIN = ''] = findCodeBlock(CONTRIBUTING, 'sh', ID)
  .trimEnd()
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, ''));

beforeAll(() => {
  // The bundle reads the rows when it runs.
  cpSync(dirname(dirname(inject('main'))), join(copy, 'dist'), { recursive: true });
  const row: unknown = JSON.parse(findCodeBlock(CONTRIBUTING, 'json', ID));
  const file = join(copy, 'suites/models/requirements.json');
  const rows = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...rows, requirements: [...rows.requirements, row] }));
});
afterAll(() => rmSync(copy, { recursive: true }));

/**
 * Runs a line of the document in the copy, and returns what it printed. Fails unless it exits with 0. The compiled
 * assay runs, because tsx would transform the sources again for each thread of a run.
 */
function follow(line: string): string {
  const [source, compiled] = ['npx tsx cli/main.ts ', 'node dist/cli/main.js '];
  expect(line.startsWith(source) || line === GENERATE).toBe(true);
  return runInCopy(copy, line.replace(source, compiled));
}

test('the new requirement is in the ledger', () => {
  follow(GENERATE);
  expect(readFileSync(join(copy, 'suites/ledger.json'), 'utf8')).toContain(`"${ID}"`);
});

test('the new requirement is judged against the reference', () => {
  follow(RUN);
  const report = JSON.parse(readFileSync(join(copy, 'assay-report/report.json'), 'utf8'));
  const judged = report.requirements.find(({ id }: { readonly id: string }) => id === ID);
  expect(judged).toMatchObject({ verdict: 'pass', level: 'MUST' });
  expect(judged.observations).toBeGreaterThan(0);
});

test('the mutation of the new requirement makes it fail', () => {
  const explained = follow(EXPLAIN);
  expect(explained).toContain('the first without an id');
  expect(explained).toContain('/data/0/id');
});
