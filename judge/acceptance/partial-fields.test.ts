import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { AcceptanceTally } from './acceptance-tally.ts';
import { RevokedKeys } from './revoked-keys.ts';

const trace = new TraceBuilder();
trace.add('listModels', {}, { status: 401, json: {} });
const call = trace.exchanges.flatMap((exchange) => Call.from(exchange, 'Vendor-Beta') ?? [])[0];

test('partial verdicts keep the member names of the facts about keys and connections', () => {
  if (call === undefined) throw new Error('the trace has no call');
  const keys = new RevokedKeys();
  keys.deny(call, 0, { subject: 'listModels', assumes: [] });
  const [, denied] = keys.part().denied[0] ?? [];
  expect(Object.keys(denied ?? {}).toSorted()).toEqual([
    'fingerprint',
    'inFlight',
    'isOwn',
    'key',
    'ordinal',
    'request',
  ]);
  expect(Object.keys(new AcceptanceTally().part().connections)).toEqual(['calls', 'closed', 'most']);
});
