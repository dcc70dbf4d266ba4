import { expect, test } from 'vitest';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { echo, fieldKeys, fieldValue } from './choice-shapes.ts';
import { requests } from './selectors.ts';
import { choice } from './statements.ts';
import type { JsonObject, RequestEvidence } from './types.ts';

function readAlternative(
  shape: (evidence: RequestEvidence) => string | null,
  { answer = {}, body = {}, status = 200 }: { answer?: JsonObject; body?: JsonObject; status?: number } = {},
): string {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body }, { status, json: answer });
  const testChoice = choice({
    id: 'test.shape.reads',
    spec: '2 Models',
    says: 'What a shape reads.',
    alternatives: ['one', 'other'],
    selector: requests('createChatCompletion'),
    taken: shape,
  });
  return takenAlternatives(testChoice, trace.exchanges).join();
}

test('fieldValue reads a field of an accepted response, and nothing from a refusal', () => {
  const shape = fieldValue('status');
  expect(readAlternative(shape, { answer: { status: 'open' } })).toBe('open');
  expect(readAlternative(shape, { status: 400 })).toBe('');
});

test('fieldKeys reads the field names of an object in sorted order, and nothing from a number', () => {
  const answer = { n: 1, error: { b: 1, a: 2 } };
  expect([
    readAlternative(fieldKeys('error'), { answer }),
    readAlternative(fieldKeys('n'), { answer }),
  ]).toEqual(['a, b', '']);
});

test('echo reads whether a response repeats a value of the request', () => {
  const shape = echo('a.b', 'same', 'other');
  expect(readAlternative(shape, { answer: { a: { b: 1 } }, body: { a: { b: 1 } } })).toBe('same');
  expect(readAlternative(shape, { answer: {}, body: { a: { b: 1 } } })).toBe('other');
});
