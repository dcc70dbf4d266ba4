import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { compileMutations, type EditRow } from './edits.ts';
import type { Expect } from './expectations.ts';
import { conditionsOf } from './given.ts';
import { compileRequirement } from './rows.ts';
import { compileShown, type Shown } from './shown.ts';
import { compileTest } from './test-words.ts';

const IN = 'createChatCompletion';

function findViolations(expected: Expect, answer: object, body: object = {}): readonly Violation[] {
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
  return judgeRequirement(compileRequirement(row), trace.exchanges).violations;
}

function findPlaces(...input: Parameters<typeof findViolations>): readonly string[] {
  return findViolations(...input).map(({ at }) => at);
}

test('`contains` allows more members and another order', () => {
  const contains = { 'answer.tools': { contains: 'request.tools' } };
  const request = { tools: [{ type: 'a' }, { type: 'b' }] };
  expect(findPlaces(contains, { tools: [{ type: 'b' }, { type: 'a', more: 1 }] }, request)).toEqual([]);
  expect(findPlaces(contains, { tools: [{ type: 'a' }] }, request)).toEqual(['/tools']);
});

test('`agrees_with` compares values that are both present', () => {
  const agrees = { 'answer.model': { agrees_with: 'request.model' } };
  expect(findPlaces(agrees, { model: 'one' }, { model: 'one' })).toEqual([]);
  expect(findPlaces(agrees, { model: 'one' })).toEqual([]);
  expect(findPlaces(agrees, {}, { model: 'one' })).toEqual([]);
  expect(findPlaces(agrees, { model: 'other' }, { model: 'one' })).toEqual(['/model']);
  expect(findPlaces(agrees, { model: null }, { model: 'one' })).toEqual(['/model']);
});

test('`says` names values by their places', () => {
  const trace = new TraceBuilder();
  trace.add(IN, { body: { n: 2 } }, { json: { model: 'one' } });
  const row = {
    id: 'chat.words.mean',
    must: 'The words of rows mean what they say.',
    basis: 'stated',
    given: { answer: IN },
    expect: { 'answer.model': { not: 'one', says: '{request.n} of {nothing}' } },
    broken_by: { 'one model': { in: IN, set: { '/model': 'one' } } },
  } as const;
  expect(judgeRequirement(compileRequirement(row), trace.exchanges).violations).toMatchObject([
    { at: '/model', expected: '2 of {nothing}', actual: 'one' },
  ]);
});

test('`says` reads elements of lists, and inserts values as they are', () => {
  const says = { pattern: '^a', says: '{request.stop[-1]} of {request.n}' };
  const subject = { exchanges: [], asked: { stop: ['x', '{request.n}'], n: 2 } };
  expect(compileTest(says).expected(subject)).toBe('{request.n} of 2');
});

test('`sum_of` adds numbers at several places', () => {
  const sum = { 'answer.to': { sum_of: ['answer.from', 60] } };
  expect(findPlaces(sum, { from: 1, to: 61 })).toEqual([]);
  expect(findPlaces(sum, { from: 1, to: 62 })).toEqual(['/to']);
  // A value is not compared if a summand is missing or not a number.
  expect(findPlaces(sum, { to: 62 })).toEqual([]);
  expect(findPlaces(sum, { from: '1', to: 62 })).toEqual([]);
});

test('`shown` is each element of a list, or the response that has none', () => {
  const named = { of: 'shown[].value', each: { name: { present: true } } };
  expect(findPlaces(named, { data: [{ name: 'a' }, {}] })).toEqual(['/data/1/name']);
  expect(findPlaces(named, { data: [] })).toEqual([]);
  expect(findPlaces(named, {})).toEqual(['/name']);
});

test('at least one of the groups of `any_of` has to hold', () => {
  const either = [{ any_of: [{ 'answer.a': 1, 'answer.b': 1 }, { 'answer.c': null }] }].flatMap(conditionsOf);
  // as: conditions read nothing else
  const holds = (answer: object) => either.every((one) => one({ exchanges: [], answer } as never));
  expect([{ a: 1, b: 1 }, { a: 1 }, { c: null }, {}].map(holds)).toEqual([true, false, true, false]);
});

test('a violation of `schema` shows the value, also inside a list', () => {
  const valid = { of: 'answer.parts[]', each: { '': { schema: 'thread.message' } } } as const;
  const violations = findViolations(valid, { parts: [{ content: [{ type: 7 }] }] });
  expect(violations.find(({ at }) => at === '/parts/0 /content/0/type')?.actual).toBe(7);
});

test('`this` is the element that a statement is about', () => {
  const within = { of: 'answer.data[]', each: { used: { maximum: 'this.most' } } };
  const data = [
    { used: 1, most: 2 },
    { used: 3, most: 2 },
  ];
  expect(findPlaces(within, { data })).toEqual(['/data/1/used']);
});

test.each<[string, Partial<EditRow>, readonly string[]]>([
  ['rename', { rename: 'c' }, ['a {"n":1}', 'c {"n":9}']],
  ['repeat_as', { repeat_as: 'c' }, ['a {"n":1}', 'b {"n":2}', 'c {"n":9}']],
  ['precede_as', { precede_as: 'c' }, ['a {"n":1}', 'c {"n":9}', 'b {"n":2}']],
])('`%s` gives edited events a name', (_, edit, wanted) => {
  const trace = new TraceBuilder();
  const events = [
    { event: 'a', data: { n: 1 } },
    { event: 'b', data: { n: 2 } },
  ];
  trace.add('createRun', { path: { thread_id: 'thread_1' }, body: {} }, { events });
  const row: EditRow = { in: 'createRun', event: 'every', named: 'b', set: { '/n': 9 }, ...edit };
  const [changed] = compileMutations({ edited: row })['edited']?.(trace.exchanges) ?? [];
  const shown = changed?.response == null ? [] : (eventsOf(changed.response)?.events ?? []);
  expect(shown.map(({ event, json }) => `${event} ${JSON.stringify(json?.value)}`)).toEqual(wanted);
});

test('`after` considers what follows the first matching element, and `once` reports one violation', () => {
  const data = [{ n: 0 }, { n: 1, ends: true }, { n: 2 }, { n: 3 }];
  const nothing = { of: 'answer.data[]', after: { ends: true }, each: { n: { present: false } } } as const;
  expect(findPlaces(nothing, { data })).toEqual(['/data/2/n', '/data/3/n']);
  expect(findPlaces({ ...nothing, once: true }, { data })).toEqual(['/data/2/n']);
  expect(findPlaces(nothing, { data: [{ n: 0 }] })).toEqual([]);
});

function applyEdit(edit: Omit<EditRow, 'in' | 'request'>) {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', purpose: 'batch' } });
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', value: '{"n":1}\n{"n":2}\n', filename: 'lines.jsonl' },
  ];
  trace.add('createFile', { form }, { json: {} });
  const row = { in: 'createFile', request: true, ...edit } as const;
  const changed = compileMutations({ edited: row })['edited']?.(trace.exchanges)?.at(-1);
  if (changed === undefined) throw new Error('the edit changes nothing');
  const file = formDataParts(changed.request)?.find(({ name }) => name === 'file');
  return { file: `${file?.filename} ${file?.body.text}`, size: file?.body.size, ...changed.request };
}

test('edits of requests change files', () => {
  expect(applyEdit({ file: { field: 'file', name: 'a.txt', append: 'end' } }).file).toBe(
    'a.txt {"n":1}\n{"n":2}\nend',
  );
  expect(applyEdit({ file: { field: 'file', text: 'ab', times: 2 } }).file).toBe('lines.jsonl abab');
  expect(applyEdit({ file: { field: 'file', base64: 'YQ==' } }).file).toBe('lines.jsonl a');
  expect(applyEdit({ file: { field: 'file', size: 99 } }).size).toBe(99);
  const lines = { file: { field: 'file' }, jsonl: { n: { present: true } }, set: { '/n': 3 } };
  expect(applyEdit(lines).file).toBe('lines.jsonl {"n":3}\n{"n":3}\n');
});

test('edits of requests change header fields and queries', () => {
  expect(applyEdit({ header: { 'x-a': 'b' } }).headers).toContainEqual(['x-a', 'b']);
  expect(applyEdit({ query: { after: 'c' } }).target).toMatch(/\?after=c$/);
});

test('`take` puts a value of an earlier response into a request, and changes nothing without one', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', purpose: 'batch' } });
  trace.add('createBatch', { body: { input_file_id: 'file-2' } }, { json: {} });
  const createEdit = (purpose: string): EditRow => ({
    in: 'createBatch',
    request: true,
    take: { '/input_file_id': { from: { purpose }, value: 'id' } },
  });
  const [found, none] = ['batch', 'vision'].map((purpose) =>
    compileMutations({ edited: createEdit(purpose) })['edited']?.(trace.exchanges),
  );
  expect(found?.[1]?.request.body.json?.value).toEqual({ input_file_id: 'file-1' });
  expect(none).toBeNull();
});

function findAlternative(words: Shown, members: object): string | null {
  return compileShown(words)({ exchanges: [], ...members });
}

test('`beyond` names the texts that are not in its list', () => {
  const beyond: Shown = { beyond: { of: 'names[]', known: ['stop'], none: 'only stop' } };
  expect(
    [
      ['stop', null],
      ['stop', 'end'],
    ].map((names) => findAlternative(beyond, { names })),
  ).toEqual(['only stop', 'also end']);
});

test('`after` names the text that follows another one, whatever it contains', () => {
  const after: Shown = { after: { of: 'status', value: 'in_progress' } };
  const follower = (from: string, to: string) =>
    findAlternative(after, { before: { status: from }, answer: { status: to } });
  expect(follower('in_progress', 'moved to archive')).toBe('moved to archive');
  expect(follower('in_progress', 'in_progress')).toBeNull();
  expect(follower('completed', 'expired')).toBeNull();
});

test('`equal` compares all elements at some places', () => {
  const equal = (...by: readonly string[]): Shown => ({
    equal: { of: 'list[]', by, same: 'same', other: 'other' },
  });
  const list = [
    { id: 'a', n: 1 },
    { id: 'a', n: 2 },
  ];
  expect([findAlternative(equal('id'), { list }), findAlternative(equal('id', 'n'), { list })]).toEqual([
    'same',
    'other',
  ]);
  expect(findAlternative(equal('id'), { list: [{ id: 'a' }] })).toBeNull();
});

test('`form` names the fields of an object, and is nothing for a list or a text', () => {
  const form: Shown = { form: 'it' };
  const values = [{ b: 1, a: 2 }, null, 'auto', ['a']];
  expect(values.map((it) => findAlternative(form, { it }))).toEqual(['a, b', 'null', null, null]);
  expect(findAlternative(form, {})).toBe('absent');
});

test('`bearers` says which events of a group pass', () => {
  const words: Shown = { bearers: { group: 'choices[].index', that: { role: { type: 'text' } } } };
  const judgeRoles = (...roles: readonly boolean[]) => {
    const chunks = roles.map((has, n) => ({
      at: `event ${n}`,
      data: { choices: [{ index: 0, ...(has && { role: 'assistant' }) }] },
    }));
    return findAlternative(words, { chunks });
  };
  expect([
    judgeRoles(),
    judgeRoles(false),
    judgeRoles(true),
    judgeRoles(true, true),
    judgeRoles(true, false),
    judgeRoles(false, true),
  ]).toEqual(['none', 'none', 'the first', 'every one', 'the first', 'some of them']);
});

describe('an edit of responses', () => {
  const trace = new TraceBuilder();
  trace.add(IN, { body: { n: 1 } }, { json: { text: 'one\ntwo' } });
  trace.add(IN, { body: { n: 2 } }, { json: { text: 'three' } });
  const editBodies = (edit: Omit<EditRow, 'in'>) =>
    compileMutations({ edited: { in: IN, ...edit } })
      ['edited']?.(trace.exchanges)
      ?.map(({ response }) => response?.body.text);

  test('replaces a pattern in their text, or the whole body', () => {
    expect(editBodies({ replace: ['o(?=ne)', '0'] })).toEqual(['{"text":"0ne\\ntwo"}', '{"text":"three"}']);
    expect(editBodies({ base64: 'YQ==' })).toEqual(['a', 'a']);
  });

  test('copies the response of another call, and changes nothing without one', () => {
    expect(editBodies({ where: { 'request.n': 2 }, response_of: { 'request.n': 1 } })?.[1]).toContain('two');
    expect(editBodies({ response_of: { 'request.n': 3 } })).toBeUndefined();
  });

  test('names the exchange', () => {
    const ids = trace.exchanges.map(({ id }) => `{"text":"${id}"}`);
    expect(editBodies({ set: { '/text': '{exchange}' } })).toEqual(ids);
  });
});

describe('an edit of JSON responses', () => {
  const trace = new TraceBuilder();
  trace.add(IN, { body: { stop: ['a', 'z'] } }, { json: { text: 'on', other: null } });
  trace.add(IN, { body: { stop: 'b' } }, { json: { text: 'go on', other: 1 } });
  const editAnswers = (edit: Omit<EditRow, 'in'>) =>
    compileMutations({ edited: { in: IN, ...edit } })
      ['edited']?.(trace.exchanges)
      ?.map(({ response }) => response?.body.json?.value);
  const two = (first: object, second: object) => [
    { text: 'on', other: null, ...first },
    { text: 'go on', other: 1, ...second },
  ];

  test('rewrites texts', () => {
    expect(editAnswers({ rewrite: { '/text': ['o(.?)', '0$1'] } })).toEqual(
      two({ text: '0n' }, { text: 'g0 0n' }),
    );
  });

  test('fills places that are missing or null', () => {
    expect(editAnswers({ fill: { '/other': 2, '/more': 3 } })).toEqual(
      two({ other: 2, more: 3 }, { more: 3 }),
    );
  });

  test('change no value that is missing, apart from those that they set', () => {
    const missing = { remove: ['/text', '/other'], set: { '/more': [1, 2] } };
    const edit = {
      add: { '/other': 1 },
      append: { '/text': 'a' },
      prepend: { '/text': 'b' },
      rewrite: { '/text': ['o', '0'] },
      repeat: { '/list': 'first', '/more': 'last' },
      reverse: ['/list'],
    } as const;
    expect(editAnswers({ ...missing, ...edit })).toEqual([{ more: [1, 2, 2] }, { more: [1, 2, 2] }]);
  });

  test('names texts of the request, and leaves a name without a text', () => {
    const named = {
      where: { 'request.stop': { type: 'text' } },
      prepend: { '/text': '{request.stop}: ' },
    } as const;
    expect(editAnswers(named)).toEqual(two({}, { text: 'b: go on' }));
    expect(editAnswers({ set: { '/text': 'up to {request.stop[-1]}' } })).toEqual(
      two({ text: 'up to z' }, { text: 'up to {request.stop[-1]}' }),
    );
  });

  test('changes only the calls that `only` and `where` select', () => {
    expect(editAnswers({ only: 'last', set: { '/text': '' } })).toEqual(two({}, { text: '' }));
    expect(editAnswers({ where: { 'request.stop': 'c' }, set: { '/text': '' } })).toBeUndefined();
  });
});

test('`split` makes an event of each character in the streams that `where` selects by their events', () => {
  const trace = new TraceBuilder();
  for (const event of ['a', 'b'])
    trace.add(
      'createRun',
      { path: { thread_id: 'thread_1' }, body: {} },
      { events: [{ event, data: { list: ['xy'] } }] },
    );
  const row: EditRow = { in: 'createRun', where: { 'events[]': 'b' }, event: 'every', split: '/list/0' };
  const changed = compileMutations({ edited: row })['edited']?.(trace.exchanges) ?? [];
  const shown = changed.map(({ response }) =>
    response === null ? [] : (eventsOf(response)?.events ?? []).map(({ event, data }) => `${event} ${data}`),
  );
  expect(shown).toEqual([['a {"list":["xy"]}'], ['b {"list":["x"]}', 'b {"list":["y"]}']]);
});

test('an edit of downloads changes only requests that belong to no operation', () => {
  const trace = new TraceBuilder();
  trace.add(IN, {}, { json: {} });
  const [call] = trace.exchanges;
  if (call === undefined) throw new Error('the trace is empty');
  const download = {
    ...call,
    id: 'd1',
    request: { ...call.request, method: 'GET', target: '/pictures/1.png' },
  };
  const changed = compileMutations({ edited: { in: 'download', status: 404 } })['edited']?.([call, download]);
  expect(changed?.map(({ response }) => response?.status)).toEqual([200, 404]);
});

test.for([
  [{ count: 1 }, '1 element'],
  [{ count: 2 }, '2 elements'],
  [{ at_most: 1 }, 'at most 1 element'],
  [{ pattern: '^a' }, 'text that matches ^a'],
] as const)('a finding says what %j expects', ([words, expected]) => {
  expect(compileTest(words).expected(undefined)).toBe(expected);
});
