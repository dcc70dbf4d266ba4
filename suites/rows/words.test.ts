// Words of rows that compare places, and edits that rename events or repeat them.
import { expect, test } from 'vitest';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
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

test('`after` looks behind the first such element, and `once` reports one violation', () => {
  const data = [{ n: 0 }, { n: 1, ends: true }, { n: 2 }, { n: 3 }];
  const nothing = { of: 'answer.data[]', after: { ends: true }, each: { n: { present: false } } } as const;
  expect(findings(nothing, { data })).toEqual(['/data/2/n', '/data/3/n']);
  expect(findings({ ...nothing, once: true }, { data })).toEqual(['/data/2/n']);
  expect(findings(nothing, { data: [{ n: 0 }] })).toEqual([]);
});

/** The request of a form with a file, after an edit. */
function edited(edit: Omit<EditRow, 'in' | 'request'>) {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', purpose: 'batch' } });
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', value: '{"n":1}\n{"n":2}\n', filename: 'lines.jsonl' },
  ];
  trace.add('createFile', { form }, { json: {} });
  const row = { in: 'createFile', request: true, ...edit } as const;
  const changed = brokenBy({ edited: row })['edited']?.(trace.exchanges)?.at(-1);
  if (changed === undefined) throw new Error('the edit changes nothing');
  const file = formDataParts(changed.request)?.find(({ name }) => name === 'file');
  return { file: `${file?.filename} ${file?.body.text}`, size: file?.body.size, ...changed.request };
}

test('edits of requests change files, header fields and queries', () => {
  expect(edited({ file: { field: 'file', name: 'a.txt', append: 'end' } }).file).toBe(
    'a.txt {"n":1}\n{"n":2}\nend',
  );
  expect(edited({ file: { field: 'file', text: 'ab', times: 2 } }).file).toBe('lines.jsonl abab');
  expect(edited({ file: { field: 'file', base64: 'YQ==' } }).file).toBe('lines.jsonl a');
  expect(edited({ file: { field: 'file', size: 99 } }).size).toBe(99);
  const lines = { file: { field: 'file' }, jsonl: { n: { present: true } }, set: { '/n': 3 } };
  expect(edited(lines).file).toBe('lines.jsonl {"n":3}\n{"n":3}\n');
  expect(edited({ header: { 'x-a': 'b' } }).headers).toContainEqual(['x-a', 'b']);
  expect(edited({ query: { after: 'c' } }).target).toMatch(/\?after=c$/);
});

test('`take` puts a value of an earlier answer into a request, and changes nothing without one', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', purpose: 'batch' } });
  trace.add('createBatch', { body: { input_file_id: 'file-2' } }, { json: {} });
  const taking = (purpose: string): EditRow => ({
    in: 'createBatch',
    request: true,
    take: { '/input_file_id': { from: { purpose }, value: 'id' } },
  });
  const [found, none] = ['batch', 'vision'].map((purpose) =>
    brokenBy({ edited: taking(purpose) })['edited']?.(trace.exchanges),
  );
  expect(found?.[1]?.request.body.json?.value).toEqual({ input_file_id: 'file-1' });
  expect(none).toBeNull();
});
