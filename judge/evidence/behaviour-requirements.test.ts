import { expect, test } from 'vitest';
import { judgeTrace } from '../../explain/judge.ts';
import type { Json } from '../../schemas/json.ts';
import { requirement, violation } from '../requirements/define.ts';
import type { Violation } from '../requirements/requirement.ts';
import { catalogueOfSets } from '../testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { behaviourRequirements } from './behaviour-requirements.ts';
import { responses } from './calls.ts';

function judgeWith(check: () => readonly Violation[]) {
  const counted = requirement({
    id: 'models.list.counted',
    level: 'MUST',
    basis: 'implied',
    spec: '2 Models',
    says: 'A list has three models.',
    selector: responses('listModels'),
    check,
    mutations: { none: () => null },
  });
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: { object: 'list', data: [] } });
  const catalogue = catalogueOfSets([behaviourRequirements([counted])]);
  return judgeTrace(catalogue, testTraceHeader(), trace.exchanges).requirements[0];
}

test.each<[Json, string]>([
  ['three models', 'three models'],
  [3, '3'],
  [null, 'null'],
  [{ models: 3 }, '{"models":3}'],
])('a finding shows the expected value %j as text', (expected, shown) => {
  expect(judgeWith(() => [violation('/data', expected, [])])?.findings).toMatchObject([{ expected: shown }]);
});

test('a check that returns an empty string instead of a list is an error of its suite', () => {
  // as: what a suite in JavaScript may return
  const check = () => '' as unknown as readonly Violation[];
  expect(judgeWith(check)).toMatchObject({ verdict: 'error', findings: [] });
});

test('a violation whose expected value is not text is an error of its suite', () => {
  // as: what a suite in JavaScript may return
  const judged = judgeWith(() => [{ at: '/data', expected: 3, actual: [] } as unknown as Violation]);
  expect(judged).toMatchObject({ verdict: 'error', findings: [] });
});
