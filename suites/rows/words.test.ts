// Words of rows that compare places, and edits that rename events or repeat them.
import { expect, test } from 'vitest';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { brokenBy, type EditRow } from './edits.ts';
import type { Expect } from './given.ts';
import { requirementOf } from './rows.ts';

const IN = 'createChatCompletion';

/** The places of the findings about an answer. */
function findings(expected: Expect, answer: object, body: object = {}): readonly string[] {
  const trace = new TraceBuilder();
  trace.add(IN, { body: JSON.parse(JSON.stringify(body)) }, { json: JSON.parse(JSON.stringify(answer)) });
  const row = {
    id: 'chat.words.mean',
    must: 'The words of rows mean what they say.',
    basis: 'stated',
    spec: '2 Models',
    given: { answer: IN },
    expect: expected,
    broken_by: { 'no tools': { in: IN, remove: ['/tools'] } },
  } as const;
  return judgeRequirement(requirementOf(row), trace.exchanges).violations.map(({ at }) => at);
}

test('`contains` allows more members and another order', () => {
  const contains = { 'answer.tools': { contains: 'request.tools' } };
  const asked = { tools: [{ type: 'a' }, { type: 'b' }] };
  expect(findings(contains, { tools: [{ type: 'b' }, { type: 'a', more: 1 }] }, asked)).toEqual([]);
  expect(findings(contains, { tools: [{ type: 'a' }] }, asked)).toEqual(['/tools']);
});

test('`agrees_with` compares values that are both there', () => {
  const agrees = { 'answer.model': { agrees_with: 'request.model' } };
  expect(findings(agrees, { model: 'one' }, { model: 'one' })).toEqual([]);
  expect(findings(agrees, { model: 'one' })).toEqual([]);
  expect(findings(agrees, {}, { model: 'one' })).toEqual([]);
  expect(findings(agrees, { model: 'other' }, { model: 'one' })).toEqual(['/model']);
  expect(findings(agrees, { model: null }, { model: 'one' })).toEqual(['/model']);
});

test('`this` is the element that a statement is about', () => {
  const within = { of: 'answer.data[]', each: { used: { maximum: 'this.most' } } };
  const data = [
    { used: 1, most: 2 },
    { used: 3, most: 2 },
  ];
  expect(findings(within, { data })).toEqual(['/data/1/used']);
});

test.each<[string, Partial<EditRow>, readonly string[]]>([
  ['rename', { rename: 'c' }, ['a {"n":1}', 'c {"n":9}']],
  ['repeat_as', { repeat_as: 'c' }, ['a {"n":1}', 'b {"n":2}', 'c {"n":9}']],
])('`%s` edits events and gives them a name', (_, edit, wanted) => {
  const trace = new TraceBuilder();
  const events = [
    { event: 'a', data: { n: 1 } },
    { event: 'b', data: { n: 2 } },
  ];
  trace.add('createRun', { path: { thread_id: 'thread_1' }, body: {} }, { events });
  const row: EditRow = { in: 'createRun', event: 'every', named: 'b', set: { '/n': 9 }, ...edit };
  const [changed] = brokenBy({ edited: row })['edited']?.(trace.exchanges) ?? [];
  const shown = changed?.response == null ? [] : (eventsOf(changed.response)?.events ?? []);
  expect(shown.map(({ event, json }) => `${event} ${JSON.stringify(json?.value)}`)).toEqual(wanted);
});
