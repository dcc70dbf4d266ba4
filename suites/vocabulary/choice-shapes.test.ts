import { expect, test } from 'vitest';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { echo, fieldKeys, fieldValue } from './choice-shapes.ts';
import { requests, sets, shows, where } from './selectors.ts';
import { choice } from './statements.ts';
import type { RequestEvidence, Selector } from './types.ts';

function readAlternative(
  shape: (evidence: RequestEvidence) => string | null,
  { answer = {}, body = {}, status = 200 }: { answer?: object; body?: object; status?: number } = {},
  narrow: (all: Selector<RequestEvidence>) => Selector<RequestEvidence> = (all) => all,
): string {
  const trace = new TraceBuilder();
  const [json, sent] = [answer, body].map((one) => JSON.parse(JSON.stringify(one)));
  trace.add('createChatCompletion', { body: sent }, { status, json });
  const testChoice = choice({
    id: 'test.shape.reads',
    spec: '2 Models',
    says: 'What a shape reads.',
    alternatives: ['one', 'other'],
    selector: narrow(requests('createChatCompletion')),
    taken: shape,
  });
  return takenAlternatives(testChoice, trace.exchanges).join();
}

test('an accepted response shows the value of a field', () => {
  const shape = fieldValue('status');
  expect(readAlternative(shape, { answer: { status: 'open' } })).toBe('open');
  expect(readAlternative(shape, { status: 400 })).toBe('');
});

test('the names of the fields of an object are read in sorted order', () => {
  const answer = { n: 1, error: { b: 1, a: 2 } };
  expect([
    readAlternative(fieldKeys('error'), { answer }),
    readAlternative(fieldKeys('n'), { answer }),
  ]).toEqual(['a, b', '']);
});

test('a response does or does not repeat a value of the request', () => {
  const shape = echo('a.b', 'same', 'other');
  expect(readAlternative(shape, { answer: { a: { b: 1 } }, body: { a: { b: 1 } } })).toBe('same');
  expect(readAlternative(shape, { answer: {}, body: { a: { b: 1 } } })).toBe('other');
});

test('a condition holds if the request sets a property or if the response has one', () => {
  const holds = (body: object, ...conditions: Parameters<typeof where<RequestEvidence>>[1][]) =>
    readAlternative(
      () => 'held',
      { body, answer: { error: {} } },
      (all) => where(all, ...conditions),
    ) === 'held';
  expect([{ n: 1 }, { n: null }, {}].map((body) => holds(body, sets('n')))).toEqual([true, false, false]);
  expect([holds({}, shows('error')), holds({}, shows('other'))]).toEqual([true, false]);
});
