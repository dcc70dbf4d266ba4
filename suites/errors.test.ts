import { expect, test } from 'vitest';
import type { Exchange, HeaderPairs, HttpResponse } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import { takenAlternatives } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { errorsBodyForm } from './errors.requirements.ts';

function formsOf(changes: Partial<HttpResponse>, end: Partial<Exchange['end']> = {}): readonly string[] {
  const exchange = new TraceBuilder().add('listModels', {}, { status: 400, json: {} });
  if (exchange.response === null) throw new Error('The trace has no response.');
  const response = { ...exchange.response, ...changes };
  return takenAlternatives(errorsBodyForm, [{ ...exchange, response, end: { ...exchange.end, ...end } }]);
}

const json: HeaderPairs = [['content-type', 'application/json']];

test.each([
  ['an object with error', '{"error":{}}', json],
  ['other JSON', '{"error":"no"}', json],
  ['text', 'no', [['content-type', 'text/plain']]],
  ['something else', 'no', []],
  ['nothing', '', json],
] as const)('the body of a rejection is %s: %j', (form, body, headers) => {
  expect(formsOf({ body: Body.from(body), headers })).toEqual([form]);
});

test.each([
  ['is missing from the recording', { body: Body.unknown() }, {}],
  ['was not kept', { body: Body.digest('a'.repeat(64), 1000) }, {}],
  ['has an unknown coding', { body: Body.from('no'), headers: [['content-encoding', 'rot13']] }, {}],
  ['did not arrive whole', { body: Body.empty }, { how: 'upstream-reset' }],
] as const)('a body that %s has no known form', (_, changes, end) => {
  expect(formsOf(changes, end)).toEqual([]);
});
