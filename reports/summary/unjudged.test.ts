import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { unjudgedLines } from './unjudged.ts';

test('the exchanges of a reason are in the order of their numbers', () => {
  const { report } = sampleReport('broken');
  const undecided = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const requirements = ['e10', 'e9', 'e100'].map((exchange) => ({
    ...undecided,
    id: `chat.after-${exchange}`,
    cause: { kind: 'target-error', exchange },
  }));
  const undecidedReport = { ...report, blockers: [], requirements } as Report; // as: the sample has such a requirement
  expect(unjudgedLines(undecidedReport)).toEqual([
    '3 requirements inconclusive: the target answered 5xx (e9, e10, e100)',
  ]);
});
