import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeReports } from './write-reports.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-reports-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a new run begins without the reports and the traffic of the earlier one, and leaves other files alone', () => {
  mkdirSync(join(folder, 'cassette'));
  for (const name of ['cassette/cassette.jsonl', 'report.json', 'junit.xml', 'mine.txt'])
    writeFileSync(join(folder, name), '');
  removeReports(folder);
  expect(
    ['cassette', 'report.json', 'junit.xml', 'mine.txt'].filter((name) => existsSync(join(folder, name))),
  ).toEqual(['mine.txt']);
});
