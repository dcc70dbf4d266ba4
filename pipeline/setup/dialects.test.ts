import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sampleReport } from '../../reports/testing/sample.ts';
import { countExcused, loadDialect } from './dialects.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-dialects-'));

afterAll(() => rmSync(folder, { recursive: true }));

test.each(['openai', 'compatible', 'ollama'])(
  'the shipped dialect %s loads: its requirements, causes and choices exist',
  async (name) => {
    expect((await loadDialect(name)).name).toBe(name);
  },
);

function writeDialect(choices: object): string {
  const file = join(folder, 'dialect.json');
  writeFileSync(file, JSON.stringify({ format: 1, name: 'own', errata: [], choices }));
  return file;
}

test('a dialect that only pins choices needs no errata', async () => {
  const file = join(folder, 'pins.json');
  const choices = { 'chat.finish-reason.at-limit': 'length' };
  writeFileSync(file, JSON.stringify({ format: 1, name: 'pins', choices }));
  expect(await loadDialect(file)).toMatchObject({ choices, errata: [] });
});

test('a dialect can pin only an existing choice, and only to one of its alternatives', async () => {
  const pins = { 'runs.usage.of-steps': 'the sum' };
  expect((await loadDialect(writeDialect(pins))).choices).toEqual(pins);
  await expect(loadDialect(writeDialect({ 'runs.usage.of-step': 'the sum' }))).rejects.toThrow(
    'pins runs.usage.of-step, but there is no such choice; the nearest are runs.usage.of-steps',
  );
  await expect(loadDialect(writeDialect({ 'runs.usage.of-steps': 'a sum' }))).rejects.toThrow(
    'pins runs.usage.of-steps to "a sum"; its alternatives are the sum, another number.',
  );
});

test('the example of the documentation is a dialect, and names only what exists', async () => {
  const [, example = ''] =
    /```json\n(\{\n {2}"format"[\s\S]*?)```/.exec(readFileSync('docs/dialects.md', 'utf8')) ?? [];
  const file = join(folder, 'example.json');
  writeFileSync(file, example);
  const dialect = await loadDialect(file);
  expect(dialect.errata.length).toBeGreaterThan(0);
  expect(Object.keys(dialect.choices).length).toBeGreaterThan(0);
});

test('a failure counts as excused only if the dialect excuses all its findings', () => {
  const { report } = sampleReport('broken');
  const [first] = report.requirements;
  if (first === undefined) throw new Error('the sample has no requirement');
  const { actual: _, ...finding } = { ...first.findings[0], at: '/system_fingerprint', expected: 'a string' };
  const excusedFailure = { ...first, id: 'chat.completion:system_fingerprint#required', findings: [finding] };
  const failing = [first, excusedFailure as typeof first]; // as: the sample has a finding
  const context = { exchange: () => undefined, betaHeader: 'Vendor-Beta' };
  expect(countExcused('compatible', failing, context)).toBe(1);
  expect(countExcused('compatible', [first], context)).toBe(0);
  // Findings that the report does not keep are assumed to be excused as well.
  const frequentFailure = { ...excusedFailure, findingsTotal: 40 };
  expect(countExcused('compatible', [frequentFailure as typeof first], context)).toBe(1); // as: the sample has a finding
  const partlyExcused = { ...excusedFailure, findings: [finding, { ...finding, actual: 3 }] };
  expect(countExcused('compatible', [partlyExcused as typeof first], context)).toBe(0); // as: the sample has a finding
});
