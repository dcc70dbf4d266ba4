import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { readDialect } from './dialect.ts';
import type { Excuse } from './excuses.ts';

function isExcused(excuse: Omit<Excuse, 'requirements'>, at: string, actual: string | number | undefined) {
  const erratum = { id: 'own', reason: 'It is known.', excuses: [{ requirements: ['*'], ...excuse }] };
  const dialect = readDialect(JSON.stringify({ format: 1, name: 'own', errata: [erratum] }), 'own.json');
  const trace = new TraceBuilder();
  trace.add('createThread', { body: { metadata: { kept: true } } }, { json: {} });
  const [exchange] = trace.exchanges;
  const call = exchange === undefined ? null : Call.from(exchange, 'Vendor-Beta');
  return dialect.excuse('any', { at, expected: '10', actual }, call) !== null;
}

test('a value that the request lacks is not kept as text', () => {
  expect(isExcused({ keptAsText: true }, '/metadata/kept', 'true')).toBe(true);
  expect(isExcused({ keptAsText: true }, '/metadata/kept', undefined)).toBe(false);
  expect(isExcused({ keptAsText: true }, '/metadata/other', undefined)).toBe(false);
});

test('a number near the expected one is excused only if it also conforms to `found`', () => {
  const excuse = { differsBy: 2, found: { type: 'integer' } };
  expect(isExcused(excuse, '/created', 12)).toBe(true);
  expect(isExcused(excuse, '/created', 13)).toBe(false);
  expect(isExcused(excuse, '/created', 11.5)).toBe(false);
});
