import { expect, test } from 'vitest';
import type { Json } from '../../exchange/body.ts';
import { hear } from '../../judge/testing/hear.ts';
import { TraceBuilder } from '../../judge/testing/trace.ts';
import { defaultModel, inOrder, ofText, ofTexts } from './moderations.requirements.ts';

function moderated(trace: TraceBuilder, input: Json, ...flags: readonly boolean[]): void {
  const results = flags.map((flagged) => ({ flagged }));
  trace.add('createModeration', { body: { input } }, { json: { id: 'm', model: 'm-7', results } });
}

function apart(): TraceBuilder {
  const trace = new TraceBuilder();
  moderated(trace, 'good', false);
  moderated(trace, 'bad', true);
  return trace;
}

test('results in another order than their texts are found', () => {
  const trace = apart();
  moderated(trace, ['good', 'bad'], true, false);
  expect(hear(inOrder, trace.exchanges)).toMatchObject({
    observations: 1,
    complaints: [{ at: '/results/0/flagged' }, { at: '/results/1/flagged' }],
  });
});

test('a model that thinks otherwise of a text proves nothing about order', () => {
  const trace = apart();
  moderated(trace, ['good', 'bad'], false, false);
  moderated(trace, ['good', 'another'], true, false);
  expect(hear(inOrder, trace.exchanges).observations).toBe(0);
});

test('how many results an input of something else has is left open', () => {
  const trace = new TraceBuilder();
  moderated(trace, [[1, 2, 3]], false, false);
  moderated(trace, [{ type: 'text', text: 'one' }], false, false);
  expect(hear(ofText, trace.exchanges).observations + hear(ofTexts, trace.exchanges).observations).toBe(0);
});

test.each([
  ['text-moderation-latest', 'text-moderation-latest', 0],
  ['text-moderation-007', 'text-moderation-007', 0],
  ['text-moderation-latest', 'text-moderation-007', 0],
  ['text-moderation-latest', 'text-moderation-stable', 1],
  ['text-moderation-007', 'text-moderation-006', 1],
])('%s by name and %s by default', (named, unnamed, objections) => {
  const trace = new TraceBuilder();
  const body = { input: 'assay' };
  trace.add(
    'createModeration',
    { body: { ...body, model: 'text-moderation-latest' } },
    { json: { model: named } },
  );
  trace.add('createModeration', { body }, { json: { model: unnamed } });
  expect(hear(defaultModel, trace.exchanges).complaints).toHaveLength(objections);
});
