import { describe, expect, test } from 'vitest';
import type { TraceHeader } from '../../exchange/trace.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';
import { verifyCassette } from './verify.ts';

const fixture = createRecordFixture();

describe('a drift', () => {
  async function findDrift(
    path: string,
    before: object | string,
    after: object | string,
    status = 200,
    request: RequestInit = {},
    header: Partial<TraceHeader> = {},
  ) {
    const answer = { value: before, status: 200 };
    const { url } = await fixture.start(
      async (req, res) => {
        await requestBodyOf(req);
        const { value } = answer;
        const type = typeof value === 'string' ? 'text/event-stream' : 'application/json';
        res.writeHead(answer.status, { 'content-type': type });
        res.end(typeof value === 'string' ? value : JSON.stringify(value));
      },
      { header },
    );
    await fetch(`${url}${path}`, request);
    await fixture.stopRecorder();
    answer.value = after;
    answer.status = status;
    const report = await verifyCassette({
      cassette: fixture.cassette(),
      baseUrl: `http://${fixture.serviceHost()}`,
      ignore: ['/free/*'],
    });
    expect(report.sent).toBe(1);
    return report.drifted[0]?.drifts ?? [];
  }

  const model = { id: 'm', object: 'model', created: 1, owned_by: 'me' };

  test('of the status is reported alone', async () => {
    expect(await findDrift('/models/m', model, { ...model, owned_by: 'you' }, 404)).toEqual([
      { kind: 'status', at: 'status', recorded: 200, now: 404 },
    ]);
  });

  test('of the schema and of values is reported with its place', async () => {
    expect(
      await findDrift('/models/m', model, { ...model, created: 'now', owned_by: 'you', more: 1 }),
    ).toEqual([
      expect.objectContaining({ kind: 'schema', at: '/created' }),
      { kind: 'value', at: '/owned_by', recorded: 'me', now: 'you' },
      { kind: 'schema', at: '/more', recorded: 'absent', now: 'a number' },
    ]);
  });

  test('of the schema is reported if the request omits the field that selects a schema', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: 'assistant', content: 'Hi' };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    const reply = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage };
    const { usage: _, ...without } = reply;
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await findDrift('/chat/completions', reply, without, 200, request)).toContainEqual(
      expect.objectContaining({ kind: 'schema', at: '/usage' }),
    );
  });

  test('of the schema is that of the version which a header of the service selects', async () => {
    const assistant = {
      ...{
        id: 'asst_abcdef1',
        object: 'assistant',
        created_at: 1,
        name: null,
        description: null,
        model: 'm',
      },
      ...{ instructions: null, tools: [], metadata: {}, file_ids: [] },
    };
    const now = { ...assistant, file_ids: undefined };
    const findDriftWith = (name: string) =>
      findDrift(
        '/assistants/asst_abcdef1',
        assistant,
        now,
        200,
        { headers: { [name]: 'assistants=v1' } },
        {
          betaHeader: 'acme-beta',
        },
      );
    const drift = { kind: 'schema', at: '/file_ids', recorded: 'a list' };
    expect(await findDriftWith('acme-beta')).toEqual([
      { ...drift, now: "absent: must have required property 'file_ids'" },
    ]);
    await fixture.stopService();
    expect(await findDriftWith('other-beta')).toEqual([{ ...drift, now: 'absent' }]);
  });

  test('includes the length of a list; of one that a model fills, only that it is empty now', async () => {
    const list = (name: string, n: number) => ({ [name]: Array.from({ length: n }, (_, i) => ({ at: i })) });
    for (const [before, now] of [
      [2, 0],
      [2, 1],
      [0, 2],
    ] as const) {
      expect(await findDrift('/x', list('items', before), list('items', now))).toEqual([
        { kind: 'length', at: '/items', recorded: before, now },
      ]);
      await fixture.stopService();
    }
    expect(await findDrift('/x', list('tool_calls', 2), list('tool_calls', 1))).toEqual([]);
    await fixture.stopService();
    expect(await findDrift('/x', list('tool_calls', 2), list('tool_calls', 0))).toEqual([
      { kind: 'length', at: '/tool_calls', recorded: 2, now: 0 },
    ]);
  });

  test('of a list with more or fewer elements is its length alone', async () => {
    const page = (...ids: readonly string[]) => ({
      ...{ object: 'list', first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null },
      data: ids.map((id) => ({ id, owned_by: id })),
    });
    expect(await findDrift('/x', page('small', 'large'), page('new', 'large', 'small'))).toEqual([
      { kind: 'length', at: '/data', recorded: 2, now: 3 },
    ]);
    await fixture.stopService();
    expect(await findDrift('/x', page('small'), page())).toEqual([
      { kind: 'length', at: '/data', recorded: 1, now: 0 },
    ]);
  });

  test('includes the size of a file that the client uploaded, but not of one that the service wrote', async () => {
    const file = { id: 'file-abcdef1', object: 'file', bytes: 14, created_at: 1, purpose: 'batch' };
    const now = { ...file, id: 'file-abcdef2', bytes: 20, created_at: 2 };
    expect(await findDrift('/files/file-abcdef9', file, now)).toContainEqual({
      kind: 'value',
      at: '/bytes',
      recorded: 14,
      now: 20,
    });
    await fixture.stopService();
    const written = { purpose: 'batch_output', bytes: 14 };
    expect(await findDrift('/x', written, { ...written, bytes: 20 })).toEqual([]);
  });

  test('includes what the client set, whatever its name', async () => {
    const run = (n: number) => ({
      ...{ max_prompt_tokens: n, metadata: { url: `${n}`, usage: `${n}` } },
      message: { role: 'user', created_at: n, content: [{ type: 'text', text: { value: `${n}` } }] },
      reply: { role: 'assistant', content: [{ type: 'text', text: { value: `${n}` } }] },
      tools: [{ function: { parameters: { properties: { text: { minLength: n } } } } }],
    });
    expect((await findDrift('/x', run(1), run(2))).map(({ at }) => at)).toEqual([
      '/max_prompt_tokens',
      '/metadata/url',
      '/metadata/usage',
      '/message/content/0/text/value',
      '/tools/0/function/parameters/properties/text/minLength',
    ]);
  });

  test('includes an id that the request names', async () => {
    expect(await findDrift('/models/m', model, { ...model, id: 'other' })).toEqual([
      { kind: 'value', at: '/id', recorded: 'm', now: 'other' },
    ]);
  });

  test('is reported once per place, with the requirement that it breaks', async () => {
    const { owned_by: _, ...without } = model;
    expect(await findDrift('/models/m', model, { ...without, object: 'mode' })).toEqual([
      {
        kind: 'schema',
        at: '/owned_by',
        recorded: 'a string',
        now: expect.stringMatching(/^absent: must have/),
      },
      { kind: 'schema', at: '/object', recorded: '"model"', now: expect.stringMatching(/^"mode": must be/) },
    ]);
  });

  test('of a stream excludes the number and the texts of its deltas', async () => {
    const stream = (...kinds: string[]) =>
      kinds.map((kind, i) => `event: ${kind}\ndata: {"text":"piece ${i}"}\n\n`).join('');
    expect(await findDrift('/x', stream('a', 'b', 'b', 'c'), stream('a', 'b', 'b', 'b', 'c'))).toEqual([]);
  });

  test('of the stream order names the previous event', async () => {
    const stream = (...kinds: string[]) => kinds.map((kind) => `event: ${kind}\ndata: {}\n\n`).join('');
    expect(await findDrift('/x', stream('a', 'b'), stream('a', 'c', 'b'))).toEqual([
      { kind: 'stream-order', at: 'the event after a object', recorded: 'b object', now: 'c object' },
    ]);
  });

  test('of a stream includes an id that the request names', async () => {
    const stream = (id: string) => `event: a\ndata: {"assistant_id":"${id}"}\n\n`;
    const request = { method: 'POST', body: '{"assistant_id":"asst_abcdef1"}' };
    expect(await findDrift('/x', stream('asst_abcdef1'), stream('asst_abcdef2'), 200, request)).toEqual([
      {
        kind: 'stream-value',
        at: 'event 1 /assistant_id',
        recorded: '"asst_abcdef1"',
        now: '"asst_abcdef2"',
      },
    ]);
  });

  test('of a stream is found whatever its events are called', async () => {
    const stream = (n: number) => `event: constructor\ndata: {"n":${n}}\n\n`;
    const body = '{"stream":true,"assistant_id":"asst_abcdef1"}';
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await findDrift('/threads/t/runs', stream(1), stream(2), 200, request)).toEqual([
      { kind: 'stream-value', at: 'event 1 /n', recorded: '1', now: '2' },
    ]);
  });

  test('includes the number of floats of an embedding in base64, not their values', async () => {
    const body = (...floats: readonly number[]) => ({
      data: [{ embedding: Buffer.from(Float32Array.from(floats).buffer).toString('base64') }],
    });
    expect(await findDrift('/x', body(0.5, 1), body(0.5, 2))).toEqual([]);
    await fixture.stopService();
    expect(await findDrift('/x', body(0.5, 1), body(0.5))).toEqual([
      { kind: 'length', at: '/data/0/embedding', recorded: 2, now: 1 },
    ]);
  });

  test('excludes what differs from call to call, or is to be ignored', async () => {
    const body = (n: number) => ({
      created: n,
      created_at: n,
      usage: { total_tokens: n },
      file_counts: { in_progress: n, completed: n, total: 1 },
      data: [{ embedding: [n, n], score: n }],
      seed: n,
      free: { a: n },
      id: `file-abcdef${n}`,
    });
    expect(await findDrift('/x', body(1), body(2))).toEqual([]);
  });
});

async function findDownloadDrift(sent: string, now: string) {
  let file = sent;
  const { url } = await fixture.start(async (req, res) => {
    await requestBodyOf(req);
    res.setHeader('content-type', 'application/json');
    res.end(req.method === 'GET' ? file : '{"id":"file-abcdef1"}');
  });
  const form = new FormData();
  form.set('file', new Blob([sent]), 'a.json');
  await fetch(`${url}/files`, { method: 'POST', body: form });
  await fetch(`${url}/files/file-abcdef1/content`);
  await fixture.stopRecorder();
  file = now;
  const report = await verifyCassette({
    cassette: fixture.cassette(),
    baseUrl: `http://${fixture.serviceHost()}`,
  });
  expect(report.sent).toBe(2);
  return report.drifted.flatMap(({ drifts }) => drifts);
}

test('a download of an upload is compared byte for byte, whatever its members are called', async () => {
  expect(await findDownloadDrift('{"text":"a"}', '{"text":"abc"}')).toEqual([
    { kind: 'value', at: 'body', recorded: '12 bytes', now: '14 bytes' },
  ]);
});

test('a download of equal length but other bytes has drifted, one with equal bytes has not', async () => {
  expect(await findDownloadDrift('{"text":"a"}', '{"text":"b"}')).toEqual([
    { kind: 'value', at: 'body', recorded: '12 bytes', now: '12 bytes (different content)' },
  ]);
  await fixture.stopService();
  expect(await findDownloadDrift('{"text":"a"}', '{"text":"a"}')).toEqual([]);
});
