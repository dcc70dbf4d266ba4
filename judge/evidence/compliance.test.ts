import { expect, test } from 'vitest';
import { requirement } from '../requirements/define.ts';
import { judgeRequirement } from '../testing/judge-requirement.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { valueAtPath } from '../trace/json.ts';
import { type ResponseEvidence, responses, that, where } from './calls.ts';
import { withCompliance } from './compliance.ts';

const rule = requirement({
  id: 'models.test.compliance',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Models',
  says: 'A model has an owner.',
  selector: withCompliance(responses('retrieveModel'), hasOwner),
  check: (evidence) => {
    if (hasOwner(evidence)) return [];
    const violation = { at: '/owned_by', expected: 'an owner', actual: undefined };
    return [evidence.isCompliedElsewhere ? violation : { ...violation, inconclusive: 'model' }];
  },
  mutations: { none: () => null },
});

/** Compliance of model b counts for model a as well. */
const ruleOfA = requirement({
  ...rule,
  id: 'models.test.compliance-of-a',
  selector: withCompliance(selectAnswers('a'), hasOwner, selectAnswers('b')),
});

function hasOwner({ answer }: ResponseEvidence): boolean {
  return valueAtPath(answer, 'owned_by') !== undefined;
}

function selectAnswers(model: string) {
  return where(
    responses('retrieveModel'),
    that<ResponseEvidence>(`of ${model}`, ({ answer }) => valueAtPath(answer, 'id') === model),
  );
}

const ruleOfRequest = requirement({
  ...rule,
  id: 'models.test.compliance-of-request',
  selector: withCompliance(responses('createFineTuningJob'), hasOwner),
  check: ({ asked, isCompliedElsewhere }) => [
    { at: '/', expected: String(isCompliedElsewhere), actual: valueAtPath(asked, 'model') },
  ],
});

type Model = Readonly<Record<string, string>>;

const own: Model = { id: 'a', owned_by: 'me' };
const ownerless: Model = { id: 'a' };

function judgeModels(models: readonly Model[], judgedRule = rule) {
  const trace = new TraceBuilder();
  for (const json of models) trace.add('retrieveModel', { path: { model: 'a' } }, { json });
  const { observations, violations } = judgeRequirement(judgedRule, trace.exchanges);
  return { observations, conclusive: violations.map(({ inconclusive }) => inconclusive === undefined) };
}

test('a target that never complies breaks nothing', () => {
  expect(judgeModels([ownerless, ownerless])).toEqual({ observations: 2, conclusive: [false, false] });
});

test('a target that complies once, before or after, must always comply', () => {
  expect(judgeModels([own, ownerless])).toEqual({ observations: 2, conclusive: [true] });
  expect(judgeModels([ownerless, own])).toEqual({ observations: 2, conclusive: [true] });
});

test('a target that always complies breaks nothing', () => {
  expect(judgeModels([own, own])).toEqual({ observations: 2, conclusive: [] });
});

test('compliance in other evidence, before or after, requires a target to comply, and that evidence is not judged', () => {
  const other = { id: 'b', owned_by: 'me' };
  expect(judgeModels([other, ownerless], ruleOfA)).toEqual({ observations: 1, conclusive: [true] });
  expect(judgeModels([ownerless, other], ruleOfA)).toEqual({ observations: 1, conclusive: [true] });
  expect(judgeModels([ownerless, { id: 'b' }], ruleOfA)).toEqual({ observations: 1, conclusive: [false] });
  expect(judgeModels([other], ruleOfA)).toEqual({ observations: 0, conclusive: [] });
});

test('evidence has its request, whether or not it complies', () => {
  const trace = new TraceBuilder();
  for (const json of [own, ownerless])
    trace.add('createFineTuningJob', { body: { model: `for ${json['owned_by']}` } }, { json });
  const { violations } = judgeRequirement(ruleOfRequest, trace.exchanges);
  expect(violations.map(({ expected, actual }) => [expected, actual])).toEqual([
    ['true', 'for me'],
    ['true', 'for undefined'],
  ]);
});
