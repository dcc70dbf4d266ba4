import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { isCarriedOut } from './probe-outcomes.ts';

test.each<[string, boolean, Json]>([
  ['an object', true, {}],
  ['null', false, null],
  ['a text', false, 'ok'],
])('a 2xx whose body is %s shows that the request was carried out: %s', (_, expected, json) => {
  const exchange = new TraceBuilder().add('retrieveFile', {}, { json });
  const call = Call.from(exchange, 'Vendor-Beta');
  expect(call && isCarriedOut(call)).toBe(expected);
});
