import { expect, test } from 'vitest';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { relationRequirements } from './objects.requirements.ts';

test('neither null nor another number counts as the default value', () => {
  const trace = new TraceBuilder();
  for (const temperature of [null, 1, 2])
    trace.add(
      'createAssistant',
      { beta: 'assistants=v2', body: { model: 'any' } },
      { json: { id: 'asst_1', temperature } },
    );
  // as: the rule receives only evidence of its selector
  const rule = relationRequirements.find(
    ({ id }) => id === 'assistants-v2.create.default-temperature',
  ) as unknown as BehaviourRequirement<Evidence>;
  expect(judgeRequirement(rule, trace.exchanges)).toMatchObject({
    observations: 3,
    violations: [{ actual: null }, { actual: 2 }],
  });
});
