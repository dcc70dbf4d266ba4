import { allure2 } from '@allurereport/reader';
import type { RawTestResult, ReaderContext, ResultsVisitor } from '@allurereport/reader-api';
import { BufferResultFile } from '@allurereport/reader-api';
import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { allureResults } from './allure.ts';

async function readByAllure(name: 'broken' | 'green' | 'nothing'): Promise<readonly RawTestResult[]> {
  const { report, evidence } = sampleReport(name);
  const results: RawTestResult[] = [];
  // as: the reader only uses this member of the visitor
  const visitor = {
    visitTestResult: async (result: RawTestResult, _: ReaderContext) => void results.push(result),
  } as ResultsVisitor;
  for (const { name: file, text } of allureResults(report, evidence))
    expect(await allure2.read(visitor, new BufferResultFile(Buffer.from(text), file)), file).toBe(true);
  return results;
}

test.for(['broken', 'green', 'nothing'] as const)(
  'Allure reads each result of the %s sample',
  async (name) => {
    const { report, evidence } = sampleReport(name);
    const results = await readByAllure(name);
    expect(results.length).toBe(allureResults(report, evidence).length);
    for (const { name: id, status, historyId, fullName } of results)
      expect({
        id,
        isComplete: [status, historyId, fullName].every((one) => typeof one === 'string'),
      }).toEqual({
        id,
        isComplete: true,
      });
  },
);

test('a failure, an undecided requirement and a bug in assay have different statuses, and a failure has its message and trace', async () => {
  const results = await readByAllure('broken');
  const findResult = (id: string) => results.find(({ name }) => name === id);
  expect(findResult('file:bytes#type')).toMatchObject({
    status: 'failed',
    message: 'file: bytes is an integer.',
  });
  expect(findResult('file:bytes#type')?.trace).toContain('expected  an integer');
  const { report } = sampleReport('broken');
  const statuses = new Map(report.requirements.map(({ id, verdict }) => [verdict, findResult(id)?.status]));
  expect(Object.fromEntries(statuses)).toMatchObject({
    fail: 'failed',
    inconclusive: 'unknown',
    error: 'broken',
  });
});

test('file names are the same in every run, and distinct', () => {
  const { report, evidence } = sampleReport('broken');
  const listFileNames = (run: typeof report) => allureResults(run, evidence).map(({ name }) => name);
  const requirements = report.requirements.map((one) =>
    one.verdict === 'pass' ? { ...one, verdict: 'fail' as const } : one,
  );
  const names = listFileNames(report);
  expect(listFileNames({ ...report, date: '2031-01-01T00:00:00Z', requirements })).toEqual(names);
  expect(new Set(names).size).toBe(names.length);
});
