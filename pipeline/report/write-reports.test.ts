import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleReport } from '../../reports/testing/sample.ts';
import { removeReports, reportFilesIn, writeReports } from './write-reports.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-reports-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the reports and the traffic of an earlier run are removed, and other files stay', () => {
  mkdirSync(join(folder, 'cassette'));
  for (const name of ['cassette/cassette.jsonl', 'report.json', 'junit.xml', 'mine.txt'])
    writeFileSync(join(folder, name), '');
  removeReports(folder);
  expect(
    ['cassette', 'report.json', 'junit.xml', 'mine.txt'].filter((name) => existsSync(join(folder, name))),
  ).toEqual(['mine.txt']);
});

test('a link in place of the Allure results stays, and so do the files behind it', () => {
  const elsewhere = join(folder, 'elsewhere');
  const reportDir = join(folder, 'report');
  for (const dir of [elsewhere, reportDir]) mkdirSync(dir);
  const name = '00000000-0000-8000-8000-000000000000-result.json';
  writeFileSync(join(elsewhere, name), '{}');
  symlinkSync(elsewhere, join(reportDir, 'allure-results'));
  expect(reportFilesIn(reportDir)).toEqual([]);
  removeReports(reportDir);
  expect([readdirSync(reportDir), readdirSync(elsewhere)]).toEqual([['allure-results'], [name]]);
});

test('no report is written through a link', async () => {
  const precious = join(folder, 'precious');
  const elsewhere = join(folder, 'elsewhere');
  const reportDir = join(folder, 'report');
  for (const dir of [elsewhere, reportDir]) mkdirSync(dir);
  writeFileSync(precious, 'precious');
  for (const name of ['report.json', 'junit.xml', 'badge.svg']) symlinkSync(precious, join(reportDir, name));
  symlinkSync(elsewhere, join(reportDir, 'allure-results'));
  const { report, evidence: context } = sampleReport('green');
  const sample = { report, context, baseline: null, isRun: true, comparison: null };
  await writeReports(sample, { report: ['json', 'junit', 'badge', 'allure'], reportDir });
  expect(readFileSync(precious, 'utf8')).toBe('precious');
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(lstatSync(join(reportDir, 'report.json')).isFile()).toBe(true);
  expect(readdirSync(join(reportDir, 'allure-results'))).not.toEqual([]);
});
