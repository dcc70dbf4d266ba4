import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote, type NoteContent } from '../trace.ts';
import { openCassette, readTrace } from './cassette.ts';
import { type CassetteOptions, createCassette } from './cassette-writer.ts';

const header = traceHeader();
const SECRET = 'sk-Canary_42+abc/XYZ';
const JSON_TYPE: HeaderPairs[number] = ['Content-Type', 'application/json'];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-cassette-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const dirOf = (name = 'c') => join(root, name);
const create = (name?: string, options?: CassetteOptions) => createCassette(dirOf(name), header, options);

interface CallSketch {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HeaderPairs;
  readonly body?: string | Buffer;
  readonly answer?: readonly (string | Buffer)[];
  readonly answerHeaders?: HeaderPairs;
}

async function recordCall(cassette: ReturnType<typeof create>, input: CallSketch = {}): Promise<Exchange> {
  const { method = 'POST', target = '/v1/chat/completions', headers = [JSON_TYPE] } = input;
  const recording = cassette.begin({ method, target, headers });
  if (input.body !== undefined) recording.requestBody(Buffer.from(input.body));
  recording.response({ status: 200, reason: 'OK', headers: input.answerHeaders ?? [JSON_TYPE] });
  for (const piece of input.answer ?? ['{"ok":true}']) recording.piece(Buffer.from(piece));
  const exchange = await recording.end({ how: 'complete' });
  if (exchange === null) throw new Error('the cassette collects nothing');
  return exchange;
}

function toComparable(exchange: Exchange) {
  const body = ({ body }: { body: Exchange['request']['body'] }) => ({
    size: body.size,
    text: body.text,
    sha: body.sha256,
  });
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: body(request) },
    response: response && { ...response, body: body(response) },
  };
}

const readLines = (name = 'c') =>
  readFileSync(join(dirOf(name), 'cassette.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a cassette', () => {
  test('has the exchanges that `end` returned, byte for byte', async () => {
    const cassette = create();
    const recorded = [
      await recordCall(cassette, { body: '{"model":"m","n":1}' }),
      await recordCall(cassette, { body: '{\n  "a": 1.0\n}\n', answer: ['{\n  "b": [\n    1\n  ]\n}\n'] }),
      await recordCall(cassette, {
        method: 'GET',
        target: '/v1/files/f/content',
        answer: [Buffer.from([0xff, 0, 1])],
      }),
      await recordCall(cassette, {
        body: 'x'.repeat(20_000),
        answer: ['y'.repeat(5_000), 'z'.repeat(5_000)],
      }),
      await recordCall(cassette, { method: 'DELETE', answer: [] }),
    ];
    cassette.finish();
    const { items } = await readTrace(dirOf());
    expect(items.map((item) => (isNote(item) ? item : toComparable(item)))).toEqual(
      recorded.map(toComparable),
    );
    expect(recorded[3]?.response?.pieces.map(({ offset }) => offset)).toEqual([0, 5_000]);
  });

  test('stores JSON as JSON only if that reproduces the bytes', async () => {
    const cassette = create();
    await recordCall(cassette, { body: '{"a":1,"b":[2]}', answer: ['{"a": 1}'] });
    await recordCall(cassette, { body: '{"2":0,"1":0}', answer: ['{\n    "x": []\n}\n'] });
    cassette.finish();
    expect(readLines().filter((line) => line.e === 'body')).toMatchObject([
      { json: { a: 1, b: [2] } },
      { text: '{"a": 1}' },
      { text: '{"2":0,"1":0}' },
      { json: { x: [] }, indent: 4, tail: '\n' },
    ]);
  });

  test('stores each event of a stream as one line, and other bytes as they are', async () => {
    const streams = [
      'data: {"a":1}\n\nevent: x\ndata: {"b": 2}\n\ndata: [DONE]\n\n',
      'event:x\r\ndata:{"a":1}\r\n\r\n: ping\r\n\r\ndata:2\r\n\r\n',
      'data: 1\n\ndata: 2',
    ];
    const cassette = create();
    const type: HeaderPairs = [['content-type', 'text/event-stream']];
    for (const stream of streams) {
      const cut = Math.floor(stream.length / 2);
      await recordCall(cassette, { answer: [stream.slice(0, cut), stream.slice(cut)], answerHeaders: type });
    }
    cassette.finish();
    const { items } = await readTrace(dirOf());
    expect(items.map((item) => (isNote(item) ? '' : item.response?.body.text))).toEqual(streams);
    expect(readLines().filter((line) => line.e === 'event' || line.e === 'raw')).toEqual([
      { e: 'event', data: { a: 1 } },
      { e: 'event', event: 'x', text: '{"b": 2}' },
      { e: 'event', text: '[DONE]' },
      { e: 'event', event: 'x', data: { a: 1 } },
      { e: 'raw', text: ': ping\r\n\r\n' },
      { e: 'event', data: 2 },
      { e: 'event', data: 1 },
      { e: 'raw', text: 'data: 2' },
    ]);
  });

  test('has exchanges in the order in which they ended, with notes in their places', async () => {
    const cassette = create();
    const head = { method: 'GET', target: '/v1/models', headers: [] };
    const [first, second] = [cassette.begin(head), cassette.begin(head)];
    cassette.note({ note: 'remark', message: 'none has ended' });
    await second.end({ how: 'client-abort' });
    cassette.note({ note: 'remark', message: 'the second has ended' });
    const third = cassette.begin(head);
    await first.end({ how: 'upstream-reset', detail: 'ECONNRESET' });
    await third.end({ how: 'upstream-timeout' });
    cassette.finish();
    const { items } = await readTrace(dirOf());
    const order = items.map((item) =>
      isNote(item) ? item.note : `${item.id} ${item.after} ${item.ended} ${item.end.how}`,
    );
    expect(order).toEqual([
      'remark',
      'e2 0 1 client-abort',
      'remark',
      'e1 0 2 upstream-reset',
      'e3 1 3 upstream-timeout',
    ]);
  });

  test('is the same for form boundaries of equal length', async () => {
    const form = (boundary: string) => ({
      headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]] as const,
      body: `--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nx --no-boundary\r\n--${boundary}--\r\n`,
    });
    for (const name of ['a', 'b']) {
      const cassette = create(name);
      const boundary = `----form-boundary-${name.repeat(12)}`;
      const exchange = await recordCall(cassette, form(boundary));
      cassette.finish();
      const { items } = await readTrace(dirOf(name));
      const [item] = items;
      expect(item && !isNote(item) && toComparable(item)).toEqual(toComparable(exchange));
      expect(exchange.request.body.text).toBe(form(boundary).body);
    }
    const [a, b] = ['a', 'b'].map((name) => readFileSync(join(dirOf(name), 'cassette.jsonl'), 'utf8'));
    expect(a).toBe(b);
  });
});

describe('secrets', () => {
  test('that are known are replaced by the same aliases in the cassette and in the returned exchange', async () => {
    const cassette = create('c', { redactor: new Redactor({ secrets: [SECRET] }) });
    const exchange = await recordCall(cassette, {
      target: `/v1/files?after=${encodeURIComponent(SECRET)}`,
      headers: [JSON_TYPE, ['Authorization', `Bearer ${SECRET}`]],
      body: JSON.stringify({ user: SECRET }),
      answer: [
        `{"echo":"${SECRET.slice(0, 7)}`,
        `${SECRET.slice(7)}","big":"${'x'.repeat(9_000)} ${SECRET}"}`,
      ],
    });
    cassette.finish();
    const { items } = await readTrace(dirOf());
    expect(items.map((item) => !isNote(item) && toComparable(item))).toEqual([toComparable(exchange)]);
    expect(exchange.request.headers).toContainEqual(['Authorization', 'Bearer redacted_1_xxxxx/xxx']);
    expect(JSON.stringify(toComparable(exchange))).not.toContain(SECRET);
    expect(exchange.response?.body.json?.value).toMatchObject({ echo: 'redacted_1_xxxxx/xxx' });
  });

  test('that become known late are replaced in what is already on disk', async () => {
    const cassette = create();
    await recordCall(cassette, { body: `first ${SECRET}`, answer: [`${'x'.repeat(9_000)} ${SECRET}`] });
    await recordCall(cassette, {
      body: 'then',
      answer: [`data: ${SECRET}\n\n`],
      answerHeaders: [['content-type', 'text/event-stream']],
    });
    await recordCall(cassette, { headers: [['Authorization', `Bearer ${SECRET}`]] });
    cassette.finish();
    const { items } = await readTrace(dirOf());
    const text = JSON.stringify(items.map((item) => (isNote(item) ? item : toComparable(item))));
    expect(text).not.toContain(SECRET);
    expect(text.split('redacted_1_xxxxx/xxx')).toHaveLength(5);
  });
});

test('recording the same traffic with other keys, ports and request ids gives the same cassette', async () => {
  for (const name of ['a', 'b']) {
    const cassette = create(name);
    const headers: HeaderPairs = [
      ['Host', `127.0.0.1:${name === 'a' ? 1111 : 2222}`],
      ['Authorization', `Bearer sk-key-of-${name}-000000`],
      ['x-request-id', name],
    ];
    await recordCall(cassette, {
      headers,
      body: '{"a":1}',
      answerHeaders: [JSON_TYPE, ['Date', name], ['X-Odd', name]],
    });
    await recordCall(cassette, { headers, body: `{"key":"sk-key-of-${name}-000000"}` });
    cassette.finish();
  }
  const [a, b] = ['a', 'b'].map((name) => readFileSync(join(dirOf(name), 'cassette.jsonl'), 'utf8'));
  expect(a).toBe(b);
});

test('a cassette can be read without its timing file', async () => {
  const cassette = create();
  await recordCall(cassette, { headers: [['Host', 'x'], JSON_TYPE], body: '{}' });
  cassette.finish();
  rmSync(join(dirOf(), 'timing.jsonl'));
  const [item] = (await readTrace(dirOf())).items;
  expect(item).toMatchObject({
    request: { headers: [['Host', ''], JSON_TYPE] },
    response: { pieces: [] },
    end: { at: 0 },
  });
});

test('exchanges can be added to a cassette without its timing file', async () => {
  for (const mode of ['create', 'append'] as const) {
    const writer = create('c', { mode });
    await recordCall(writer, { body: mode });
    writer.finish();
    if (mode === 'create') rmSync(join(dirOf(), 'timing.jsonl'));
  }
  const cassette = await openCassette(dirOf());
  expect([0, 1].map((k) => cassette.exchange(k).request.body.text)).toEqual(['create', 'append']);
  expect(cassette.began(0)).toBe(0);
  expect(cassette.began(1)).toBeGreaterThan(0);
  cassette.close();
});

test('appending keeps a finished cassette and adds exchanges to its end', async () => {
  const first = create();
  await recordCall(first, { body: 'a' });
  first.note({ note: 'remark', message: 'between' });
  first.finish();
  const second = create('c', { mode: 'append' });
  await recordCall(second, { body: 'b'.repeat(10_000) });
  second.finish();
  const cassette = await openCassette(dirOf());
  expect(cassette.size).toBe(2);
  expect(cassette.placedNotes()).toEqual([{ before: 2, after: 1, note: 'remark', message: 'between' }]);
  expect(
    [cassette.exchange(0), cassette.exchange(1)].map(({ id, after, ended, request }) => [
      id,
      after,
      ended,
      request.body.size,
    ]),
  ).toEqual([
    ['e1', 0, 1, 1],
    ['e2', 1, 2, 10_000],
  ]);
  cassette.close();
});

test('a cassette can be closed twice, without closing a file that was opened in between', async () => {
  const writer = create();
  await recordCall(writer);
  writer.finish();
  const cassette = await openCassette(dirOf());
  cassette.close();
  const files = [1, 2].map((n) => openSync(join(root, `other-${n}`), 'w'));
  cassette.close();
  for (const file of files) closeSync(file);
});

test('replacing keeps the old cassette until the new one is finished', async () => {
  const first = create();
  await recordCall(first, { body: 'old' });
  first.finish();
  const second = create('c', { mode: 'replace' });
  await recordCall(second, { body: 'new' });
  const text = async () =>
    (await readTrace(dirOf())).items.map((item) => !isNote(item) && item.request.body.text);
  expect(await text()).toEqual(['old']);
  second.finish();
  expect(await text()).toEqual(['new']);
});

describe('while a cassette is being recorded', () => {
  test('a second writer is rejected', () => {
    const cassette = create();
    expect(() => create()).toThrow(`is being recorded by process ${process.pid}`);
    cassette.close();
  });

  test('a reader is rejected', async () => {
    const cassette = create();
    await expect(openCassette(dirOf())).rejects.toThrow(/is being recorded/);
    cassette.close();
  });
});

test('creating a cassette in a folder that already holds one is rejected', async () => {
  const cassette = create();
  await recordCall(cassette);
  cassette.finish();
  expect(() => create()).toThrow(/already holds a cassette of 1 exchange\./);
});

test.each(['finish', 'close'] as const)('%s writes a remark about the last exchange', async (method) => {
  const cassette = create();
  await recordCall(cassette, { answerHeaders: [['X-Api-Key', 'short']] });
  cassette[method]();
  expect((await readTrace(dirOf())).items.at(-1)).toMatchObject({
    after: 1,
    note: 'remark',
    message: expect.stringContaining('The value of X-Api-Key is short'),
  });
});

test('a rule that matches keywords of the format leaves notes readable', async () => {
  const redactor = new Redactor({ rules: [{ pattern: '[a-z-]{3,}|e[0-9]+|POST' }] });
  const writer = create('c', { redactor });
  const notes: NoteContent[] = [
    { note: 'retry', exchange: 'e2', of: 'e1', repeat: { why: 'closed', detail: null } },
    { note: 'stopped', reason: 'budget', limit: 'requests', most: 1 },
    {
      note: 'scenario-skipped',
      scenario: 'ab',
      reason: 'not-configured',
      missing: { what: 'second-key' },
    },
    { note: 'hint', hint: { kind: 'models-refused', status: 401, keyVariable: 'KEY', key: 'sent' } },
    {
      note: 'blocked',
      scenario: 'ab',
      by: 'e3',
      obstacle: { kind: 'late', method: 'POST', path: '', status: 1 },
    },
    {
      note: 'hint',
      hint: { kind: 'errors-at-random', requests: 1, statuses: [500], operations: [], exchanges: ['e4'] },
    },
    {
      note: 'stopped',
      reason: 'target-died',
      detail: '',
      underWay: [{ method: 'POST', path: '/', exchange: 'e5' }],
    },
  ];
  for (const note of notes) writer.note(note);
  writer.finish();
  expect((await readTrace(dirOf())).items).toEqual(notes.map((note) => ({ after: 0, ...note })));
});
