import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { moderationsScoresRange } from './choices.requirements.ts';
import { moderationsModelDefault, moderationsResultsInOrder } from './moderations.requirements.ts';

const moderationsResultsOneOfEach = requirementFromRow('moderations.results.one-of-each');
const moderationsResultsOneOfAText = requirementFromRow('moderations.results.one-of-a-text');

function addModeration(trace: TraceBuilder, input: Json, ...flags: readonly boolean[]): void {
  const results = flags.map((flagged) => ({ flagged }));
  trace.add('createModeration', { body: { input } }, { json: { id: 'm', model: 'm-7', results } });
}

/** A trace in which each text is moderated alone: `good` is not flagged, `bad` is. */
function moderateSeparately(): TraceBuilder {
  const trace = new TraceBuilder();
  addModeration(trace, 'good', false);
  addModeration(trace, 'bad', true);
  return trace;
}

test('results in another order than the texts are violations', () => {
  const trace = moderateSeparately();
  addModeration(trace, ['good', 'bad'], true, false);
  expect(judgeRequirement(moderationsResultsInOrder, trace.exchanges)).toMatchObject({
    observations: 1,
    violations: [{ at: '/results/0/flagged' }, { at: '/results/1/flagged' }],
  });
});

test('a model whose judgement of a text varies, or a text that was not moderated alone, proves nothing about order', () => {
  const trace = moderateSeparately();
  addModeration(trace, ['good', 'bad'], false, false);
  addModeration(trace, ['good', 'bad', 'another'], true, false, false);
  expect(judgeRequirement(moderationsResultsInOrder, trace.exchanges).observations).toBe(0);
});

test('inputs other than texts are not evidence for the number of results', () => {
  const trace = new TraceBuilder();
  addModeration(trace, [[1, 2, 3]], false, false);
  addModeration(trace, [{ type: 'text', text: 'one' }], false, false);
  expect(
    judgeRequirement(moderationsResultsOneOfAText, trace.exchanges).observations +
      judgeRequirement(moderationsResultsOneOfEach, trace.exchanges).observations,
  ).toBe(0);
});

test.each([
  ['text-moderation-latest', 'text-moderation-latest', 0],
  ['text-moderation-007', 'text-moderation-007', 0],
  ['text-moderation-latest', 'text-moderation-007', 0],
  ['text-moderation-latest', 'text-moderation-stable', 1],
  ['text-moderation-007', 'text-moderation-006', 1],
])('the models %s by name and %s by default give %i violations', (named, unnamed, expected) => {
  const trace = new TraceBuilder();
  const body = { input: 'assay' };
  trace.add(
    'createModeration',
    { body: { ...body, model: 'text-moderation-latest' } },
    { json: { model: named } },
  );
  trace.add('createModeration', { body }, { json: { model: unnamed } });
  expect(judgeRequirement(moderationsModelDefault, trace.exchanges).violations).toHaveLength(expected);
});

test.each<[Json, readonly string[]]>([
  [{ category_scores: { hate: 0, violence: 1 } }, ['0 to 1']],
  [{ category_scores: { hate: 0, violence: -7.5 } }, ['other numbers']],
  [{ category_scores: {} }, []],
  [{ flagged: false }, []],
])('the range of the scores in %j is shown as %j', (result, alternatives) => {
  const trace = new TraceBuilder();
  trace.add('createModeration', { body: { input: 'assay' } }, { json: { id: 'm', results: [result] } });
  expect(takenAlternatives(moderationsScoresRange, trace.exchanges)).toEqual(alternatives);
});
