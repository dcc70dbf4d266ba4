import { expect, test } from 'vitest';
import { requirement } from '../requirements/define.ts';
import { judgeRequirement } from '../testing/judge-requirement.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { valueAtPath } from '../trace/json.ts';
import { responses } from './calls.ts';
import { withCompliance } from './trials.ts';

const rule = requirement({
  id: 'models.test.compliance',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Models',
  says: 'A model has an owner.',
  selector: withCompliance(
    responses('retrieveModel'),
    ({ answer: json }) => valueAtPath(json, 'owned_by') !== undefined,
  ),
  check: ({ answer: json, isCompliedElsewhere }) => {
    if (valueAtPath(json, 'owned_by') !== undefined) return [];
    const found = { at: '/owned_by', expected: 'an owner', actual: undefined };
    return [isCompliedElsewhere ? found : { ...found, inconclusive: 'model' }];
  },
  mutations: { none: () => null },
});

/** Violations of a trace with these responses, as conclusive or not, in the order in which they are reported. */
function judged(...owners: readonly (string | undefined)[]) {
  const trace = new TraceBuilder();
  for (const owned_by of owners) {
    const json = owned_by === undefined ? { id: 'a' } : { id: 'a', owned_by };
    trace.add('retrieveModel', { path: { model: 'a' } }, { json });
  }
  const { observations, violations } = judgeRequirement(rule, trace.exchanges);
  return { observations, conclusive: violations.map(({ inconclusive }) => inconclusive === undefined) };
}

test('a target that never complies is not accused', () => {
  expect(judged(undefined, undefined)).toEqual({ observations: 2, conclusive: [false, false] });
});

test('a target that complies once, before or after, is held to it', () => {
  expect(judged('me', undefined)).toEqual({ observations: 2, conclusive: [true] });
  expect(judged(undefined, 'me')).toEqual({ observations: 2, conclusive: [true] });
});

test('a target that always complies is not accused', () => {
  expect(judged('me', 'me')).toEqual({ observations: 2, conclusive: [] });
});
