import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { ItemOrder } from './item-order.ts';

function exchange(ended: number): Exchange {
  return {
    id: `e${ended}`,
    after: 0,
    ended,
    scenario: null,
    probe: null,
    request: { method: 'GET', target: '/v1/models', headers: [], body: Body.empty },
    response: null,
    end: { how: 'complete', detail: null, at: 0 },
  };
}

const traces = fc
  .array(fc.nat(2), { minLength: 1, maxLength: 12 })
  .map((counts) =>
    counts.flatMap((notes, after): readonly TraceItem[] => [
      ...(after === 0 ? [] : [exchange(after)]),
      ...Array.from({ length: notes }, (_, n): Note => ({ after, note: 'remark', message: `${after}.${n}` })),
    ]),
  );

test('exchanges that arrive in any order are delivered in the order in which they ended, each note in its place', () => {
  fc.assert(
    fc.property(
      traces.chain((trace) => {
        const exchanges = trace.filter((item): item is Exchange => !isNote(item));
        return fc.tuple(fc.constant(trace), fc.shuffledSubarray(exchanges, { minLength: exchanges.length }));
      }),
      fc.array(fc.boolean(), { maxLength: 40 }),
      ([trace, exchanges], turns) => {
        const delivered: TraceItem[] = [];
        const order = new ItemOrder((item) => delivered.push(item));
        const remainingNotes = trace.filter(isNote);
        const remainingExchanges = [...exchanges];
        const remainingTurns = [...turns];
        // Notes arrive at once; an exchange arrives once it is stored, but never before the notes that precede its end.
        const next = (): void => {
          const [first] = remainingExchanges;
          const note = remainingNotes[0];
          const mayPass = first !== undefined && (note === undefined || first.ended <= note.after);
          if (mayPass && (note === undefined || remainingTurns.pop() === true)) {
            remainingExchanges.shift();
            order.addExchange(first.ended, first);
          } else if (note !== undefined) {
            remainingNotes.shift();
            order.addNote(note);
          }
        };
        while (remainingNotes.length + remainingExchanges.length > 0) next();
        expect(delivered).toEqual(trace);
      },
    ),
  );
});

test('an exchange that cannot be read counts as lost, and later ones do not wait for it', () => {
  const delivered: TraceItem[] = [];
  const order = new ItemOrder((item) => delivered.push(item));
  order.addExchange(3, exchange(3));
  order.addExchange(1, exchange(1));
  expect(delivered).toHaveLength(1);
  order.addExchange(2, null);
  expect(delivered).toEqual([exchange(1), exchange(3)]);
  expect(order.lostCount).toBe(1);
  order.end();
  expect(order.lostCount).toBe(1);
});

test('an exchange that arrives after it counted as lost is not delivered, and stays lost', () => {
  const delivered: TraceItem[] = [];
  const order = new ItemOrder((item) => delivered.push(item));
  for (let ended = 2; ended <= 4098; ended += 1) order.addExchange(ended, exchange(ended));
  expect([delivered.length, order.lostCount]).toEqual([4097, 1]);
  order.addExchange(1, exchange(1));
  order.end();
  expect([delivered.length, order.lostCount]).toEqual([4097, 1]);
});

test('at the end the waiting exchanges are delivered, then the notes; exchanges missing before the last one count as lost', () => {
  const delivered: TraceItem[] = [];
  const order = new ItemOrder((item) => delivered.push(item));
  const note: Note = { after: 9, note: 'remark', message: 'late' };
  order.addNote(note);
  for (const ended of [7, 2, 4]) order.addExchange(ended, exchange(ended));
  expect(delivered).toEqual([]);
  order.end();
  expect(delivered).toEqual([exchange(2), exchange(4), exchange(7), note]);
  expect(order.lostCount).toBe(4);
});
