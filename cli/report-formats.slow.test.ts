import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-formats-'));
const results = join(folder, 'allure-results');
const FOREIGN_RESULT = '0aa1b2c3-0000-4000-a000-000000000000-result.json';

afterAll(() => rmSync(folder, { recursive: true }));

function run(...formats: readonly string[]) {
  const only = ['--claim', 'listModels', '--only', 'model.list:*'];
  return runAssay(['run', ...only, '--report', formats.join(','), '--report-dir', folder]);
}

let firstResult: CommandResult;
beforeAll(async () => {
  firstResult = await run('terminal', 'sarif', 'allure', 'otlp');
});

test.each(['assay.sarif', 'allure-results', 'traces.json'])(
  '%s is written, and its path is printed',
  (name) => {
    expect(existsSync(join(folder, name))).toBe(true);
    expect(firstResult.stdout).toContain(join(folder, name));
  },
);

test('spans began less than a day ago, and end between their beginning and now', () => {
  const [{ scopeSpans }] = JSON.parse(readFileSync(join(folder, 'traces.json'), 'utf8')).resourceSpans;
  const [root, ...others] = scopeSpans[0].spans;
  const now = BigInt(Date.now()) * 1_000_000n;
  const day = 86_400_000_000_000n;
  expect([root.name, others.length > 1]).toEqual(['assay run', true]);
  for (const { name, startTimeUnixNano: start, endTimeUnixNano: end } of [root, ...others]) {
    expect(now - BigInt(start), name).toBeLessThan(day);
    expect(BigInt(start), name).toBeLessThanOrEqual(BigInt(end));
    expect(BigInt(end), name).toBeLessThanOrEqual(now);
  }
});

test('a later run replaces or removes the Allure results of an earlier one, and leaves those of other test runners', async () => {
  const before = readdirSync(results);
  for (const name of before) writeFileSync(join(results, name), 'of the first run');
  writeFileSync(join(results, FOREIGN_RESULT), '{}');
  await run('allure');
  expect(new Set(readdirSync(results))).toEqual(new Set([...before, FOREIGN_RESULT]));
  for (const name of before) expect(readFileSync(join(results, name), 'utf8')).not.toBe('of the first run');
  await run('json');
  expect(readdirSync(results)).toEqual([FOREIGN_RESULT]);
});

test('a check that writes only files prints one line on stderr, and writes report.json as well', async () => {
  const dir = join(folder, 'check');
  const cassette = join(folder, 'cassette');
  const { stdout, stderr } = await runAssay(['check', cassette, '--report', 'markdown', '--report-dir', dir]);
  expect(stdout).toBe('');
  const [summary, report] = [join(dir, 'summary.md'), join(dir, 'report.json')];
  expect(stderr.match(/^conforms: .*\n$/)?.[0]).toContain(`; written to ${summary}, ${report}\n`);
  expect([summary, report].map(existsSync)).toEqual([true, true]);
});
