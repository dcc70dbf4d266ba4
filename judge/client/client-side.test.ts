import { expect, test } from 'vitest';
import type { OutsideCall } from '../trace/outside-call.ts';
import { markAsClientSide } from './client-side.ts';

test('a client evaluator receives only outside calls of the client, and the number of earlier exchanges', () => {
  const received: unknown[] = [];
  const evaluator = {
    call: () => {},
    outside: (call: OutsideCall) => received.push(call),
    next: (before?: number) => received.push(before),
    finish: () => {},
  };
  const set = markAsClientSide({ origin: 'request', requirements: [], open: () => evaluator });
  const wrapped = set.open({ header: { betaHeader: 'Vendor-Beta' } } as Parameters<typeof set.open>[0]); // as: only the header is read
  // as: only these members are read
  const call = { exchange: { scenario: null, probe: null } } as OutsideCall;
  const suiteCall = { exchange: { scenario: 'files.delete', probe: null } } as OutsideCall;
  wrapped.outside?.(call);
  wrapped.outside?.(suiteCall);
  wrapped.next?.(7);
  expect(received).toEqual([call, 7]);
});
