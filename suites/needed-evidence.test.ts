import { expect, test } from 'vitest';
import { matchesAnyGlob } from '../exchange/glob.ts';
import { neededFor } from '../explain/needed-evidence.ts';
import { freeEvidenceOf, requirementsOf } from '../judge/requirements/catalogue.ts';
import { catalogue } from './index.ts';

test('each MUST whose evidence is expected says what it needs, without its conditions and with all of them', async () => {
  const all = await catalogue();
  const { freeEvidence: free = [], expectedEvidence, requirementSets } = all;
  const expected = [...requirementsOf(all).values()].filter(
    ({ id, level }) =>
      level === 'MUST' &&
      (expectedEvidence?.scenarios.get(id)?.length ?? 0) > 0 &&
      freeEvidenceOf(free, id) === undefined,
  );
  const everyCondition = Number.POSITIVE_INFINITY;
  const unexplained = expected.filter(({ id }) =>
    [undefined, everyCondition].some((met) => neededFor({ requirementSets }, id, met) === null),
  );
  expect(unexplained.map(({ id }) => id)).toEqual([]);
  expect(expected.length).toBeGreaterThan(3000);
});

test('if text streams have no usage, each requirement that needs it is expected to lack evidence', async () => {
  const { requirementSets, choices } = await catalogue();
  const needing = requirementSets
    .flatMap(({ requirements }) => requirements)
    .filter(({ operations }) => operations.join() === 'createCompletion')
    .map(({ id }) => id)
    .filter((id) =>
      JSON.stringify(neededFor({ requirementSets }, id, Number.POSITIVE_INFINITY)).includes(
        'with usage in the stream',
      ),
    );
  expect(needing).toContain('completions.pair.same-completion-tokens');
  const { takesAway = {} } = choices.find(({ id }) => id === 'completions.stream.usage') ?? {};
  for (const alternative of ['none', 'none if requested'])
    expect(needing.filter((id) => !matchesAnyGlob(takesAway[alternative] ?? [], id))).toEqual([]);
});
