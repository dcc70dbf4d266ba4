import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ExpectedFrom } from '../../judge/verdict/cause.ts';
import type { ReportedRequirement } from '../../reports/report.ts';
import { readReport } from '../report/read-report.ts';
import { existingCassette, findEarlierFinding, lastRunRows } from './last-run.ts';

const sample = readReport(join(import.meta.dirname, '../../reports/samples/reference/report.json'));

function findCommandWithoutEvidence(expected: ExpectedFrom): string | undefined {
  const cause = { kind: 'no-evidence', expected } as const;
  return findCommand({ verdict: 'inconclusive', findings: [], cause });
}

function findCommand(changes: Partial<ReportedRequirement>): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'assay-last-run-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, 'cassette'));
  const requirements = sample.requirements.slice(0, 1).map(({ shownBy: _, ...one }) => ({
    ...one,
    ...changes,
  }));
  const report = { ...sample, requirements, cassette: 'cassette' };
  const rows = lastRunRows(requirements[0]?.id ?? '', { last: { path, report }, earlier: null, width: 80 });
  return rows.find(([head]) => head === 'look')?.[1]?.replace(path, 'report');
}

const received = [
  { operation: 'listFiles', exchange: 'e3', statuses: { 200: 1 }, emptyPages: 0, events: [] },
];

test('without evidence, the command shows the nearest exchanges, else those of the only scenario, else a received response', () => {
  expect(findCommandWithoutEvidence({ scenario: 'files.life', received, nearest: ['e4', 'e9'] })).toBe(
    'npx assay show report/cassette e4 e9',
  );
  expect(findCommandWithoutEvidence({ scenario: 'files.life', received })).toBe(
    'npx assay show report/cassette | grep files.life',
  );
  expect(findCommandWithoutEvidence({ scenario: 'files.life', scenarios: 2, received })).toBe(
    'npx assay show report/cassette e3',
  );
});

test('a pass names the exchanges that first show it', () => {
  expect(findCommand({ verdict: 'pass', findings: [], cause: null, shownBy: ['e2', 'e5'] })).toBe(
    'npx assay show report/cassette e2 e5',
  );
});

test('the cassette of a run is found from its report, whatever its name, and from its folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-last-run-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'nightly.json');
  mkdirSync(join(folder, 'cassette'), { recursive: true });
  const file = join(folder, 'renamed');
  writeFileSync(file, '');
  const report = { ...sample, cassette: 'cassette' };
  for (const path of [folder, file])
    expect(existingCassette({ path, report })).toBe(join(folder, 'cassette'));
});

test('a reason shared by several requirements is shown with their number', () => {
  const showReason = (shared: number) => {
    const requirements = sample.requirements.slice(0, 3).map((one, n) => ({
      ...one,
      verdict: 'fail' as const,
      baseline: n < shared ? 'fixed in 2.0' : null,
    }));
    const last = { path: 'report', report: { ...sample, requirements } };
    return lastRunRows(requirements[0]?.id ?? '', { last, earlier: null, width: 80 })[0]?.[1];
  };
  expect(showReason(3)).toContain(
    'known failure: fixed in 2.0 (one reason for 3 requirements, not for this one alone)',
  );
  expect(showReason(1)).toContain('known failure: fixed in 2.0');
  expect(showReason(1)).not.toContain('one reason');
});

test('a cause is looked up among the findings of the requirement that it breaks', async () => {
  const [first] = sample.requirements;
  if (first === undefined) throw new Error('the sample has no requirement');
  const id = 'createCompletion:accepts';
  const finding = (feature: string) => ({
    ...{ at: feature, expected: 'a 2xx answer', exchange: 'e1', signature: feature },
    causeId: `${id}#${feature}`,
  });
  const findings = [finding('body.echo=true'), finding('body.suffix')];
  const report = { ...sample, requirements: [{ ...first, id, findings }], cassette: null };
  const findPlace = async (wanted: string) =>
    (await findEarlierFinding(wanted, { path: '.', report }))?.finding.at;
  expect(await findPlace(id)).toBe('body.echo=true');
  expect(await findPlace(`${id}#body.suffix`)).toBe('body.suffix');
  expect(await findPlace(`${id}#body.n`)).toBeUndefined();
});
