import { expect, test } from 'vitest';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  echo,
  fieldForm,
  fieldKeys,
  fieldsShown,
  fieldType,
  fieldValue,
  mediaType,
  refusedOr,
  worded,
} from './choice-shapes.ts';
import { queries, requests, sets, setsOther, showsObject, where, withoutQuery } from './selectors.ts';
import { choice } from './statements.ts';
import type { RequestEvidence, Selector } from './types.ts';

/** The alternative that a shape reads from the answer to a request; empty text if it reads none. */
function taken(
  shape: (evidence: RequestEvidence) => string | null,
  { answer = {}, body = {}, status = 200 }: { answer?: object; body?: object; status?: number } = {},
  narrow: (all: Selector<RequestEvidence>) => Selector<RequestEvidence> = (all) => all,
): string {
  const trace = new TraceBuilder();
  const [json, sent] = [answer, body].map((one) => JSON.parse(JSON.stringify(one)));
  trace.add('createChatCompletion', { body: sent }, { status, json });
  const one = choice({
    id: 'test.shape.reads',
    spec: '2 Models',
    says: 'What a shape reads.',
    alternatives: ['one', 'other'],
    selector: narrow(requests('createChatCompletion')),
    taken: shape,
  });
  return takenAlternatives(one, trace.exchanges).join();
}

test('a response says what is read from it, a rejection that it is one', () => {
  const shape = refusedOr(fieldValue('status'));
  expect(taken(shape, { answer: { status: 'open' } })).toBe('open');
  expect(taken(shape, { status: 400 })).toBe('refused');
  expect(taken(shape, { status: 500 })).toBe('');
});

test('a field has a kind, a form and names', () => {
  const answer = { n: 1, list: [], none: null, error: { b: 1, a: 2 } };
  const read = ['n', 'list', 'none', 'error', 'other'];
  expect(read.map((name) => taken(fieldType(name), { answer }))).toEqual([
    'number',
    'object',
    '',
    'object',
    '',
  ]);
  expect(read.slice(2).map((name) => taken(fieldForm(name), { answer }))).toEqual(['null', 'a, b', 'absent']);
  expect(taken(fieldKeys('n'), { answer })).toBe('');
  const shown = [['n', 'list'], ['n', 'other'], ['other']];
  expect(shown.map((names) => taken(fieldsShown(names, 'all', 'some', 'none'), { answer }))).toEqual([
    'all',
    'some',
    'none',
  ]);
});

test('alternatives get other names, and what is not listed one for all', () => {
  const answer = { n: 1, text: 'a' };
  const named = (name: string) => worded(fieldType(name), { number: 'a number' });
  expect([taken(named('n'), { answer }), taken(named('text'), { answer })]).toEqual(['a number', 'string']);
  expect(taken(worded(fieldType('text'), {}, 'another'), { answer })).toBe('another');
  expect(taken(worded(fieldType('other'), {}, 'another'), { answer })).toBe('');
});

test('a response repeats the request, and has a media type', () => {
  const shape = echo('a.b', 'same', 'other');
  expect(taken(shape, { answer: { a: { b: 1 } }, body: { a: { b: 1 } } })).toBe('same');
  expect(taken(shape, { answer: {}, body: { a: { b: 1 } } })).toBe('other');
  expect(taken(mediaType)).toBe('application/json');
});

test('conditions on what a request sets and its query has', () => {
  const holds = (body: object, ...conditions: Parameters<typeof where<RequestEvidence>>[1][]) =>
    taken(
      () => 'held',
      { body, answer: { error: {} } },
      (all) => where(all, ...conditions),
    ) === 'held';
  expect([{ n: 1 }, { n: null }, {}].map((body) => holds(body, sets('n')))).toEqual([true, false, false]);
  expect([{ n: 1 }, { n: 2 }, {}].map((body) => holds(body, setsOther('n', 1)))).toEqual([
    false,
    true,
    false,
  ]);
  expect([holds({}, showsObject('error')), holds({}, showsObject('other'))]).toEqual([true, false]);
  expect([holds({}, queries('limit')), holds({}, withoutQuery('limit'))]).toEqual([false, true]);
});
