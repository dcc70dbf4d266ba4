import { expect, test } from 'vitest';
import { neededFor } from '../explain/missing-evidence.ts';
import { freeEvidenceOf, requirementsOf } from '../judge/requirements/catalogue.ts';
import { catalogue } from './index.ts';

/** Requirements that need not say what shows them. Each entry here is a reader who is left without a reason. */
const EXCEPTIONS: readonly string[] = [];

test('each MUST that can be left without evidence says what it needs, whatever condition is not met', async () => {
  const all = await catalogue();
  const { freeEvidence: free = [], expectedEvidence, requirementSets } = all;
  const expected = [...requirementsOf(all).values()].filter(
    ({ id, level }) =>
      level === 'MUST' &&
      (expectedEvidence?.scenarios.get(id)?.length ?? 0) > 0 &&
      freeEvidenceOf(free, id) === undefined,
  );
  const everyCondition = Number.POSITIVE_INFINITY;
  const silent = expected.filter(({ id }) =>
    [undefined, everyCondition].some((met) => neededFor({ requirementSets }, id, met) === null),
  );
  expect(silent.map(({ id }) => id)).toEqual(EXCEPTIONS);
  expect(expected.length).toBeGreaterThan(3000);
});
