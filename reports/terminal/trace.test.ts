import { expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { sampleReport } from '../testing/sample.ts';
import { traceLines } from './trace.ts';

const exchange = sampleReport('broken').evidence.exchange('e4');
if (exchange === undefined) throw new Error('The sample has no exchange e4.');

test('an exchange is printed as one line for its id, one for its request and one for its response', () => {
  expect(traceLines(exchange, 80)).toEqual([
    'e4',
    '  > GET /v1/files/file-9',
    '  < 200 application/json, 140 B in 9.9ms',
  ]);
});

test('a body that does not fit is shortened to the width of the line', () => {
  const request = { ...exchange.request, body: Body.from(JSON.stringify(['x'.repeat(100)])) };
  const [, requestLine] = traceLines({ ...exchange, request }, 80);
  expect(requestLine).toBe(`  > GET /v1/files/file-9  ["${'x'.repeat(51)}…`);
});

test('the text of an exchange cannot control the terminal', () => {
  const request = { ...exchange.request, target: '/v1/\u001b[2J' };
  const [idLine, requestLine] = traceLines({ ...exchange, request, scenario: 'a\u001b[2J' }, 80);
  expect([idLine, requestLine]).toEqual(['e4  a\\u001b[2J', '  > GET /v1/\\u001b[2J']);
});

test('a note is printed as one line after two hyphens', () => {
  const note = {
    after: 3,
    note: 'blocked',
    scenario: 'files.life',
    by: 'e3',
    obstacle: { kind: 'answered', method: 'POST', path: '/v1/files', status: 500 },
  } as const;
  expect(traceLines(note, 80)).toEqual(['-- files.life blocked by e3: POST /v1/files answered 500']);
});
