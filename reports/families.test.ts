import { expect, test } from 'vitest';
import { countFailures, countKnownFailures } from '../judge/verdict/failure-count.ts';
import { listFamilies } from './families.ts';
import { terminalReport } from './terminal/terminal.ts';
import { sampleReport } from './testing/sample.ts';
import { coloursFor } from './words/colours.ts';

const { report, evidence } = sampleReport('broken');
const FAILING = report.requirements.find(({ id }) => id === 'createChatCompletion:accepts');
const CONSEQUENCES = (['fail', 'warn'] as const).map((verdict) => ({
  ...FAILING,
  id: `follows.${verdict}`,
  family: 'files',
  verdict,
  consequenceOf: report.diagnoses?.[0]?.operations.map(({ id }) => id) ?? [],
}));
const judged = {
  ...report,
  requirements: [...report.requirements, ...CONSEQUENCES],
  diagnoses: (report.diagnoses ?? []).map((one) => ({
    ...one,
    consequences: CONSEQUENCES.map(({ id }) => id),
  })),
} as typeof report; // as: the sample has the failing requirement
const accepted = {
  ...judged,
  requirements: judged.requirements.map((one) =>
    one.verdict === 'fail' || one.verdict === 'warn' ? { ...one, baseline: 'soon' } : one,
  ),
};
const sum = (counts: readonly { readonly count: number; readonly consequences: number }[]) => ({
  count: counts.reduce((total, { count }) => total + count, 0),
  consequences: counts.reduce((total, { consequences }) => total + consequences, 0),
});

test('a cause with consequences in two families counts in one of them, as in the verdict', () => {
  expect(sum(listFamilies(judged).map(({ failures }) => failures.must))).toEqual(
    countFailures(judged, 'MUST'),
  );
  expect(sum(listFamilies(accepted).map(({ failures }) => failures.known))).toEqual(
    countKnownFailures(accepted),
  );
  const acceptedInOne = {
    ...judged,
    requirements: judged.requirements.map((one) =>
      one.id === FAILING?.id ? { ...one, baseline: 'soon' } : one,
    ),
  };
  expect(sum(listFamilies(acceptedInOne).map(({ failures }) => failures.must))).toEqual(
    countFailures(acceptedInOne, 'MUST'),
  );
});

test('the known failures next to the verdict "fail" exclude warnings', () => {
  const files = listFamilies(accepted).find(({ family }) => family === 'files');
  const independent = judged.requirements.filter(
    ({ family, verdict, id }) => family === 'files' && verdict === 'fail' && !id.startsWith('follows'),
  );
  expect(files?.failures.knownMust).toEqual({ count: independent.length, consequences: 1 });
  const text = terminalReport(accepted, {
    ...evidence,
    paint: coloursFor('off'),
    columns: null,
    written: [],
  });
  expect(text).toMatch(
    new RegExp(
      `^files .* ${independent.length + 1} fail \\(${independent.length} known, 1 for a shared cause\\)`,
      'm',
    ),
  );
});

test('a family without a requirement has a row only if a client used it', () => {
  const { report } = sampleReport('green');
  const [row, ...others] = report.operations;
  const listNames = (exercised: number, facts: Pick<typeof report, 'side'>) => {
    const used = { ...row, family: 'speech-marks', claimed: true, exercised };
    const operations = [...others, used] as typeof report.operations; // as: the sample has a row
    return listFamilies({ ...report, operations, ...facts }).map(({ family }) => family);
  };
  expect(listNames(1, { side: 'client' })).toContain('speech-marks');
  expect(listNames(0, { side: 'client' })).not.toContain('speech-marks');
  expect(listNames(1, {})).not.toContain('speech-marks');
});
