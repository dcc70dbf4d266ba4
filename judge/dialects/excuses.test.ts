import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Violation } from '../requirements/requirement.ts';
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

test('a boolean shown as text is kept as text, a value that the response lacks is not', () => {
  expect(isExcused({ keptAsText: true }, '/metadata/kept', 'true')).toBe(true);
  expect(isExcused({ keptAsText: true }, '/metadata/kept', undefined)).toBe(false);
  expect(isExcused({ keptAsText: true }, '/metadata/other', undefined)).toBe(false);
});

test('a number is excused by `differsBy` and `found` only if it is near the expected one and conforms', () => {
  const excuse = { differsBy: 2, found: { type: 'integer' } };
  expect(isExcused(excuse, '/created', 12)).toBe(true);
  expect(isExcused(excuse, '/created', 13)).toBe(false);
  expect(isExcused(excuse, '/created', 11.5)).toBe(false);
});

test('an excuse for a cause of refusals does not cover a connection that closes on the same requests', () => {
  const ollama = readDialect(readFileSync(new URL('ollama.json', import.meta.url), 'utf8'), 'ollama.json');
  const causeId = 'createCompletion:accepts#body.prompt:array';
  const refused = { at: 'requests', expected: 'a 2xx answer', actual: 'none', causeId };
  const excuse = (violation: Violation) => ollama.excuse('createCompletion:accepts', violation, null);
  expect(excuse(refused)?.id).toBe('ollama-prompts-are-texts');
  expect(excuse({ ...refused, closes: true })).toBeNull();
});
