import { expect, test } from 'vitest';
import { choice } from '../requirements/define.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { responses } from './calls.ts';
import { ChoiceTracker } from './choices.ts';
import { SelectorDispatch } from './selector-dispatch.ts';

function alternativesShown(taken: () => string | null): readonly string[] | undefined {
  const tracker = new ChoiceTracker([
    choice({
      id: 'models.list.order',
      spec: '2 Models',
      says: 'The order of models.',
      alternatives: ['by name', 'by time'],
      selector: responses('listModels'),
      taken,
    }),
  ]);
  const dispatch = new SelectorDispatch(tracker.listeners());
  const call = Call.from(new TraceBuilder().add('listModels', {}, { json: { data: [] } }), 'Vendor-Beta');
  if (call === null) throw new Error('no call');
  dispatch.call(call);
  return tracker.verdicts()[0]?.taken;
}

test('a choice that returns null or undefined shows no alternative', () => {
  expect(alternativesShown(() => null)).toEqual([]);
  // as: what a suite in JavaScript may return
  expect(alternativesShown(() => undefined as unknown as null)).toEqual([]);
});

test('an error in a choice is shown as its alternative', () => {
  const fail = () => {
    throw new Error('no model');
  };
  expect(alternativesShown(fail)).toEqual(['error in the choice: no model']);
});
