import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-compare-to-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dir = join(folder, 'run');
const flags = ['run', '--claim', 'models', '--only', 'model:*', '--report-dir', dir];
const readPage = () => readFileSync(join(dir, 'report.html'), 'utf8');
beforeAll(async () => {
  await runAssay([...flags, '--report', 'json']);
});

test('a run is compared with the report that it replaces', async () => {
  const same = await runAssay([...flags, '--report', 'terminal,html,json', '--compare-to', dir]);
  expect(same.stdout).toContain('since the earlier report: 0 worse, 0 better, 0 no longer judged\n');
  expect(readPage()).toContain('<h2 id="h-changes">Changes since the earlier report</h2>');
  expect(readPage()).toContain('No verdict and no choice changed.');
});

test('a check is compared with an earlier report', async () => {
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: our own file
  const improvedId = report.requirements.find(({ verdict }) => verdict === 'pass')?.id ?? '';
  const requirements = report.requirements.map((one) =>
    one.id === improvedId ? { ...one, verdict: 'fail' } : one,
  );
  const earlier = join(folder, 'earlier.json');
  writeFileSync(earlier, JSON.stringify({ ...report, requirements }));
  const better = await runAssay([
    'check',
    join(dir, 'cassette'),
    ...['--report', 'terminal,html', '--report-dir', dir, '--compare-to', earlier],
  ]);
  expect(better.stdout).toContain(
    `since the earlier report: 0 worse, 1 better, 0 no longer judged\n  better: ${improvedId}\n`,
  );
  expect(readPage()).toContain('1 better');
  expect(readPage()).toContain('fail → pass');
});

test.for([
  ['no-such-report', '--compare-to no-such-report does not exist. Name the report.json of an earlier run'],
  ['LICENSE', 'LICENSE is not valid JSON'],
  ['package.json', 'package.json is not a report of assay'],
] as const)('--compare-to %s ends the run before anything is sent', async ([path, message]) => {
  const reportDir = join(folder, 'unsent');
  const args = ['run', '--claim', 'models', '--report-dir', reportDir, '--compare-to', path];
  const { code, stderr } = await runAssay(args);
  expect(stderr).toContain(message);
  expect(existsSync(join(reportDir, 'cassette'))).toBe(false);
  expect(code).toBe(2);
});
