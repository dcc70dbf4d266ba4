import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSmallHarFiles } from '../bench/small-files.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const VIOLATED_ID = 'chat.completion:created#type';
let folder: string;
let paths: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-many-'));
  paths = writeSmallHarFiles(folder, 40);
  for (const n of [7, 23]) spoil(paths[n] ?? '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function spoil(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('1750000000', '\\"now\\"'));
}

test('findings name their file', async () => {
  const { code, stdout } = await runAssay(['check', ...paths]);
  expect(code).toBe(1);
  expect(stdout).toContain(`e8 is e1 of ${paths[7]}`);
  expect(stdout).toContain(`whole  npx assay show ${paths[7]} e1\n`);
  expect(stdout.match(/npx assay show/g)).toHaveLength(1);
});

test('the notice about all files is printed once', async () => {
  const { stderr } = await runAssay(['check', ...paths]);
  expect(stderr).toBe(
    `${paths[0]} and 39 more HAR files: 40 exchanges. A HAR file contains neither the pieces of responses nor their ` +
      'compression; responses without a stored body are judged by their head alone.\n',
  );
});

test('show prints an exchange of one of the files', async () => {
  const shown = await runAssay(['show', paths[7] ?? '', 'e1']);
  expect(shown.stdout).toContain('"now"');
});

test('report.json has, for each finding, the file of its exchange and the id there', async () => {
  const dir = join(folder, 'report');
  await runAssay(['check', ...paths, '--report', 'json', '--report-dir', dir]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  const findings = report.requirements.find(({ id }) => id === VIOLATED_ID)?.findings;
  expect(findings?.map(({ exchange, source }) => [exchange, source])).toEqual([
    ['e8', { path: paths[7], id: 'e1' }],
    ['e24', { path: paths[23], id: 'e1' }],
  ]);
});

test('the output for a single file does not name the file of each exchange', async () => {
  const { stdout, stderr } = await runAssay(['check', paths[7] ?? '']);
  expect(stdout).not.toContain('is e1 of');
  expect(stderr).toContain(`${paths[7]}: 1 exchange. A HAR file contains`);
});

test('files of two services are rejected', async () => {
  const other = join(folder, 'other.har');
  writeFileSync(other, readFileSync(paths[0] ?? '', 'utf8').replaceAll('service.example', 'other.example'));
  const { code, stderr } = await runAssay(['check', paths[0] ?? '', other]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('are of different targets')]);
});
