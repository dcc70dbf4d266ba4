import { expect, test } from 'vitest';
import { sampleReport } from '../../reports/testing/sample.ts';
import { testOutcomes } from './test-outcomes.ts';

test('an undecided MUST fails its test, unless it is the consequence of a failure or such MUSTs are allowed', () => {
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
    return ['alone', 'consequence'].map((id) => outcomes.get(id)?.kind);
  };
  expect(listKinds(false)).toEqual(['failed', 'skipped']);
  expect(listKinds(true)).toEqual(['skipped', 'skipped']);
});
