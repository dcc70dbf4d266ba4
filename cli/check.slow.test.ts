import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequirementVerdict } from '../judge/verdict/verdict.ts';
import type { Report } from '../reports/report.ts';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

const claim = ['--claim', 'models,files'];

const folder = mkdtempSync(join(tmpdir(), 'assay-check-'));
const cassette = join(folder, 'whole', 'cassette');
let result: CommandResult;
let runReport: Report;

function readReport(name: string): Report {
  return JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
}

beforeAll(async () => {
  result = await runAssay(['run', ...claim, '--report-dir', join(folder, 'whole')]);
  runReport = readReport('whole');
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('a run against the embedded reference', () => {
  test('conforms, and says how much was exercised', () => {
    expect(result.stdout).toContain('8 of 8 operations exercised');
    expect({ code: result.code, verdict: runReport.summary.verdict }).toEqual({
      code: 0,
      verdict: 'conforms',
    });
    const { fail, warn, error, inconclusive } = runReport.summary.requirements;
    expect({ fail, warn, error, inconclusive }).toEqual({ fail: 0, warn: 0, error: 0, inconclusive: 0 });
    expect(result.stderr).toMatch(/^\d+ of \d+ scenarios, \d+ requests$/m);
  });

  test('says that no target was named', async () => {
    const words = 'the target is the embedded reference service (no --base-url)';
    expect(result.stdout).toContain(`\nconforms\n  ${words}\n`);
    const folderFlags = ['--report', 'html,markdown', '--report-dir', join(folder, 'page')];
    const { stderr } = await runAssay(['check', cassette, ...folderFlags]);
    expect(stderr).toContain(` exercised; ${words}; written to `);
    for (const name of ['report.html', 'summary.md'])
      expect(readFileSync(join(folder, 'page', name), 'utf8')).toContain(words);
  });

  test('writes its key neither to the cassette nor to the report nor to its output', () => {
    const cassetteText = readFileSync(join(cassette, 'cassette.jsonl'), 'utf8');
    for (const text of [cassetteText, JSON.stringify(runReport), result.stdout, result.stderr])
      expect(text).not.toMatch(/assay-[0-9a-f]{32}/);
  });

  test('has the same verdicts, byte for byte, when check reads its cassette', async () => {
    const flags = ['--report', 'terminal,json', '--report-dir', join(folder, 'offline')];
    const { code, stdout } = await runAssay(['check', cassette, ...flags]);
    expect(code).toBe(0);
    expect(stdout).toContain('8 of 8 operations exercised');
    expect(JSON.stringify(readReport('offline').requirements)).toBe(JSON.stringify(runReport.requirements));
  });

  test('has the same verdicts with one scenario at a time, except for the numbers of exchanges', async () => {
    await runAssay(['run', ...claim, '--concurrency', '1', '--report-dir', join(folder, 'slow')]);
    expect(readReport('slow').requirements.map(removeExchangeIds)).toEqual(
      runReport.requirements.map(removeExchangeIds),
    );
  });

  test('has the same verdicts if its shards are joined', async () => {
    const dirs = ['1', '2'].map((shard) => join(folder, `shard-${shard}`));
    await Promise.all(
      dirs.map((dir, index) => runAssay(['run', ...claim, '--shard', `${index + 1}/2`, '--report-dir', dir])),
    );
    const cassettes = dirs.map((dir) => join(dir, 'cassette'));
    const { code } = await runAssay([
      'check',
      ...cassettes,
      '--report',
      'json',
      '--report-dir',
      join(folder, 'joined'),
    ]);
    expect(code).toBe(0);
    const verdicts = ({ requirements }: Report) =>
      requirements.map(({ id, verdict, reason }) => ({ id, verdict, reason }));
    expect(verdicts(readReport('joined'))).toEqual(verdicts(runReport));
    expect(readReport('joined').summary.operations).toEqual(runReport.summary.operations);
  });
});

test('check rejects cassettes of different runs', async () => {
  const other = join(folder, 'narrow');
  await runAssay(['run', ...claim, '--only', 'model:*', '--report-dir', other]);
  const { code, stderr } = await runAssay(['check', cassette, join(other, 'cassette')]);
  expect(code).toBe(2);
  expect(stderr).toContain('are not of one run: they differ in filters');
});

test.for([
  ['cut off', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -200))],
  ['extended', (file: string) => appendFileSync(file, 'more\n')],
  [
    'edited',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('"model"', '"muddle"')),
  ],
  ['emptied', (file: string) => writeFileSync(file, '')],
] as const)('a cassette that was %s is rejected with the name of its file', async ([how, damage]) => {
  const copy = join(folder, how.replace(' ', '-'));
  cpSync(cassette, copy, { recursive: true });
  damage(join(copy, 'cassette.jsonl'));
  const { code, stdout, stderr } = await runAssay(['check', copy]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(join(copy, 'cassette.jsonl'));
  expect(stderr).not.toMatch(/^\s+at /m);
});

function removeExchangeIds({ findings, shownBy = [], ...rest }: RequirementVerdict) {
  return {
    ...rest,
    shown: shownBy.length > 0,
    findings: findings.map(({ exchange: _, ...finding }) => finding),
  };
}
