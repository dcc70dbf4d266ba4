import { expect, test } from 'vitest';
import type { Json } from '../../exchange/body.ts';
import { hear } from '../../judge/testing/hear.ts';
import { TraceBuilder } from '../../judge/testing/trace.ts';
import { inOrder, ofText, ofTexts } from './moderations.requirements.ts';

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
