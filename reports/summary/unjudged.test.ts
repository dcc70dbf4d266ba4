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

test('many exchanges of a reason are counted as exchanges', () => {
  const { report } = sampleReport('broken');
  const undecided = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const requirements = Array.from({ length: 5 }, (_, n) => ({
    ...undecided,
    id: `chat.after-${n}`,
    cause: { kind: 'model', exchange: `e${n}` },
  }));
  const undecidedReport = { ...report, blockers: [], requirements } as Report; // as: the sample has such a requirement
  expect(unjudgedLines(undecidedReport)).toEqual([
    '5 requirements inconclusive: the model answered differently, as it may, in 5 exchanges',
  ]);
});

test('a blocker names only the causes of the requirements that it blocks', () => {
  const { report } = sampleReport('broken');
  const undecided = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const obstacles = ['/v1/files', '/v1/batches'].map(
    (path) => ({ kind: 'answered', method: 'POST', path, status: 400 }) as const,
  );
  const requirements = obstacles.map((obstacle, n) => ({
    ...undecided,
    id: `chat.after-${n}`,
    cause: { kind: 'blocked', exchange: `e${n}`, obstacle },
    consequenceOf: [`cause-${n}`],
  }));
  const blockers = obstacles.map((obstacle, n) => {
    return { exchange: `e${n}`, exchanges: 1, obstacle, message: obstacle.path, requirements: 1 };
  });
  const blockedReport = { ...report, blockers, requirements } as Report; // as: the sample has such a requirement
  expect(unjudgedLines(blockedReport)).toEqual([
    '1 requirement blocked by exchange e0: /v1/files, for cause-0',
    '1 requirement blocked by exchange e1: /v1/batches, for cause-1',
  ]);
});
