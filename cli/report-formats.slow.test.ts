import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-formats-'));
const results = join(folder, 'allure-results');
const foreign = '0aa1b2c3-0000-4000-a000-000000000000-result.json';

afterAll(() => rmSync(folder, { recursive: true }));

function run(...formats: readonly string[]) {
  const only = ['--claim', 'listModels', '--only', 'model.list:*'];
  return runAssay(['run', ...only, '--report', formats.join(','), '--report-dir', folder]);
}

let first: CommandResult;
beforeAll(async () => {
  first = await run('terminal', 'sarif', 'allure', 'otlp');
});

test.each(['assay.sarif', 'allure-results', 'traces.json'])('%s is written, and named at the end', (name) => {
  expect(existsSync(join(folder, name))).toBe(true);
  expect(first.stdout).toContain(join(folder, name));
});

test('spans begin on the day of the run, and do not end before they begin', () => {
  const [{ scopeSpans }] = JSON.parse(readFileSync(join(folder, 'traces.json'), 'utf8')).resourceSpans;
  const [root, ...others] = scopeSpans[0].spans;
  const now = BigInt(Date.now()) * 1_000_000n;
  const day = 86_400_000_000_000n;
  expect([root.name, others.length > 1]).toEqual(['assay run', true]);
  for (const { name, startTimeUnixNano: from, endTimeUnixNano: to } of [root, ...others])
    expect({ name, isToday: now - BigInt(from) < day && BigInt(from) <= BigInt(to) }).toEqual({
      name,
      isToday: true,
    });
});

test('a later run replaces its own results, and leaves those of other test runners', async () => {
  const before = readdirSync(results);
  writeFileSync(join(results, foreign), '{}');
  await run('allure');
  expect(new Set(readdirSync(results))).toEqual(new Set([...before, foreign]));
  await run('json');
  expect(readdirSync(results)).toEqual([foreign]);
});
