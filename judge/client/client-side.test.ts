import { expect, test } from 'vitest';
import type { OutsideCall } from '../trace/outside-call.ts';
import { markAsClientSide } from './client-side.ts';

test('a client evaluator receives calls of the client outside the specification, and the number of earlier exchanges', () => {
  const received: unknown[] = [];
  const evaluator = {
    call: () => {},
    outside: (call: OutsideCall) => received.push(call),
    next: (before?: number) => received.push(before),
    finish: () => {},
  };
  const set = markAsClientSide({ origin: 'request', requirements: [], open: () => evaluator });
  const wrapped = set.open({ header: { betaHeader: 'Vendor-Beta' } } as Parameters<typeof set.open>[0]); // as: what is read
  const call = { exchange: { scenario: null, probe: null } } as OutsideCall; // as: what is read
  wrapped.outside?.(call);
  wrapped.outside?.({ exchange: { scenario: 'files.delete', probe: null } } as OutsideCall); // as: what is read
  wrapped.next?.(7);
  expect(received).toEqual([call, 7]);
});
