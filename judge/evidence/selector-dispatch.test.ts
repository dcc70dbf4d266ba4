import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { responses, where } from './calls.ts';
import { SelectorDispatch } from './selector-dispatch.ts';

const isThird = ({ exchanges }: { readonly exchanges: readonly { readonly id: string }[] }) =>
  exchanges.some(({ id }) => id === 'e3');

test('a listener is told of evidence that misses its condition until it wants no more', () => {
  const missed: string[] = [];
  const received: string[] = [];
  const createListener = (name: string, limit: number) => {
    let remaining = limit;
    return {
      selector: where(responses('listModels'), isThird),
      receive: () => received.push(name),
      miss: () => {
        missed.push(name);
        remaining -= 1;
        return remaining > 0;
      },
      fail: () => {},
    };
  };
  const dispatch = new SelectorDispatch([
    createListener('one', 1),
    createListener('all', 9),
    createListener('two', 2),
  ]);
  const trace = new TraceBuilder();
  for (let n = 0; n < 5; n += 1) trace.add('listModels', {}, { json: { data: [] } });
  for (const exchange of trace.exchanges) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call !== null) dispatch.call(call);
  }
  const countMisses = (name: string) => missed.filter((one) => one === name).length;
  expect([countMisses('one'), countMisses('all'), countMisses('two')]).toEqual([1, 4, 2]);
  expect(received).toEqual(['one', 'all', 'two']);
});

test('a condition that returns undefined is not met', () => {
  const condition = () => undefined as unknown as boolean; // as: what a suite in JavaScript may return
  const received: unknown[] = [];
  const dispatch = new SelectorDispatch([
    {
      selector: where(responses('listModels'), condition),
      receive: (evidence) => received.push(evidence),
      fail: (error) => received.push(error),
    },
  ]);
  const call = Call.from(new TraceBuilder().add('listModels', {}, { json: { data: [] } }), 'Vendor-Beta');
  if (call === null) throw new Error('no call');
  dispatch.call(call);
  expect(received).toEqual([]);
});
