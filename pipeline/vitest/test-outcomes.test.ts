import { expect, test } from 'vitest';
import { sampleReport } from '../../reports/testing/sample.ts';
import { testOutcomes } from './test-outcomes.ts';

test('an inconclusive MUST fails its test, except as the consequence of a failure, which the gate does not count', () => {
  const { report, evidence: context } = sampleReport('broken');
  const failing = report.requirements.find(({ verdict }) => verdict === 'fail');
  const open = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const [finding] = failing?.findings ?? [];
  if (failing === undefined || open === undefined || finding === undefined)
    throw new Error('The sample lacks a failed or an inconclusive requirement.');
  const causeId = 'createCompletion:accepts#body.echo';
  const requirements = [
    { ...failing, findings: [{ ...finding, causeId }] },
    { ...open, id: 'alone', level: 'MUST' as const },
    { ...open, id: 'consequence', level: 'MUST' as const, consequenceOf: [causeId] },
  ];
  const listKinds = (allowInconclusive: boolean) => {
    const settings = { failOn: 'never', allowInconclusive, tolerate: [] } as const;
    const outcomes = testOutcomes({ report: { ...report, requirements }, context }, settings);
    return [...outcomes.values()].map(({ kind }) => kind);
  };
  expect(listKinds(false)).toEqual(['annotated', 'failed', 'skipped']);
  expect(listKinds(true)).toEqual(['annotated', 'skipped', 'skipped']);
});
