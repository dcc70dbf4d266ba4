import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { connectTo } from '../testing/raw-client.ts';
import { createReplayFixture, postRequest, responseText } from '../testing/replay-fixture.ts';
import { startReplayer } from './replay.ts';

const fixture = createReplayFixture();
const { serve } = fixture;
const json = (value: object) => JSON.stringify(value);

test('a large body that was changed on disk never reaches a client whole: the connection is reset, with a message', async () => {
  const messages: string[] = [];
  const url = await serve([{ target: '/v1/files', method: 'GET', pieces: [['x'.repeat(6_000_000), 0]] }], {
    onUnreadable: (message) => messages.push(message),
  });
  const sha256 = createHash('sha256').update('x'.repeat(6_000_000)).digest('hex');
  const blob = join(fixture.path(), 'blobs', 'sha256', sha256.slice(0, 2), sha256);
  writeFileSync(blob, `y${'x'.repeat(5_999_999)}`);
  await expect(fetch(`${url}/files`).then((answer) => answer.arrayBuffer())).rejects.toThrow();
  expect(messages).toEqual([
    expect.stringContaining(`${blob} was changed: its digest differs from its name`),
  ]);
  expect(fixture.report()).toMatchObject({ unreadable: 1, failed: true });
});

test.runIf(process.platform === 'linux')(
  'the file of a large body is closed if the client disconnects before its end',
  async () => {
    const content = 'x'.repeat(24_000_000);
    const url = await serve([{ target: '/v1/files', method: 'GET', pieces: [[content, 0]] }]);
    const digest = createHash('sha256').update(content).digest('hex');
    const countOpen = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith(digest);
        } catch {
          return false; // closed since the folder was listed
        }
      }).length;
    const socket = connectTo(url);
    socket.write('GET /v1/files HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('readable', resolve));
    expect(countOpen()).toBe(1);
    socket.destroy();
    await vi.waitFor(() => expect(countOpen()).toBe(0));
  },
);

test('a miss whose nearest recording cannot be read counts once', async () => {
  const body = json({ text: 'x'.repeat(300_000) });
  const url = await serve([{ body }, { target: '/v1/files', method: 'GET' }]);
  rmSync(join(fixture.path(), 'blobs'), { recursive: true });
  const answer = await postRequest(url, json({ text: 'y' }));
  expect([answer.status, (await fetch(`${url}/files`)).status]).toEqual([500, 200]);
  expect(fixture.report()).toMatchObject({ answered: 2, unreadable: 1, misses: [] });
});

describe('matching', () => {
  test('ignores the order of members and of query parameters, and the value of the API key', async () => {
    const url = await serve([
      { body: json({ a: 1, b: { c: 2, d: 3 } }), headers: [['Authorization', 'Bearer one-key-0123456']] },
      { method: 'GET', target: '/v1/files?limit=2&after=x' },
    ]);
    expect(
      (await postRequest(url, json({ b: { d: 3, c: 2 }, a: 1 }), { authorization: 'Bearer 2' })).status,
    ).toBe(200);
    expect((await fetch(`${url}/files?after=x&limit=2`)).status).toBe(200);
  });

  test('distinguishes method, path, query, body, beta header and the presence of an API key', async () => {
    const url = await serve([{ target: '/v1/threads', body: '{}' }]);
    const post = (path: string, init: RequestInit) =>
      fetch(`${url}${path}`, { method: 'POST', body: '{}', ...init });
    expect((await post('/threads', { method: 'PUT' })).status).toBe(501);
    expect((await post('/threads/1', {})).status).toBe(501);
    expect((await post('/threads?x=1', {})).status).toBe(501);
    expect((await post('/threads', { body: '{"a":1}' })).status).toBe(501);
    expect((await post('/threads', { headers: { 'OpenAI-Beta': 'assistants=v2' } })).status).toBe(501);
    expect((await post('/threads', { headers: { authorization: 'Bearer x' } })).status).toBe(501);
    expect((await post('/threads', {})).status).toBe(200);
  });

  test('finds a recording in any cassette if the cassettes name different beta headers', async () => {
    const headers = [['X-Beta', 'b']] as const;
    const url = await fixture.start({
      cassettes: [
        await fixture.writeCassette([{ headers, body: '{"n":1}' }], 'a'),
        await fixture.writeCassette([{ headers, body: '{"n":2}' }], 'b', { betaHeader: 'X-Beta' }),
      ],
      strict: false,
    });
    for (const body of ['{"n":1}', '{"n":2}']) {
      expect((await postRequest(url, body, { 'X-Beta': 'other' })).status).toBe(501);
      expect((await postRequest(url, body, { 'X-Beta': 'b' })).status).toBe(200);
    }
  });

  test('matches forms by their parts, with any boundary', async () => {
    const form = (content: string) => {
      const data = new FormData();
      data.append('purpose', 'assistants');
      data.append('file', new File([content], 'a.txt', { type: 'text/plain' }));
      return data;
    };
    const boundary = 'a-boundary-of-some-length';
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n--${boundary}--\r\n`;
    const url = await serve([
      { target: '/v1/files', headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]], body },
    ]);
    const answer = await fetch(`${url}/files`, { method: 'POST', body: form('other') });
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'miss',
        nearest: [{ differences: [{ at: 'form file/sha256' }] }],
      },
    });
    expect((await fetch(`${url}/files`, { method: 'POST', body: form('hello') })).status).toBe(200);
  });

  test('answers repeats in order, then says that they are exhausted', async () => {
    const url = await serve([
      { body: '{}', pieces: [['first', 0]] },
      { body: '{}', pieces: [['second', 0]] },
    ]);
    expect([await responseText(postRequest(url, '{}')), await responseText(postRequest(url, '{}'))]).toEqual([
      'first',
      'second',
    ]);
    const answer = await postRequest(url, '{}');
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({
      error: { code: 'exhausted', nearest: [{ exchange: 'e1' }, { exchange: 'e2' }] },
    });
    expect(fixture.report()).toMatchObject({ answered: 2, failed: true });
  });

  test('repeats the last answer on request', async () => {
    const url = await serve(
      [
        { body: '{}', pieces: [['first', 0]] },
        { body: '{}', pieces: [['last', 0]] },
      ],
      {
        repeatLast: true,
      },
    );
    const answers = [];
    for (let i = 0; i < 4; i += 1) answers.push(await responseText(postRequest(url, '{}')));
    expect(answers).toEqual(['first', 'last', 'last', 'last']);
  });

  describe('in scopes', () => {
    const sketch = (text: string, scope?: string) => ({
      body: '{}',
      pieces: [[text, 0]] as const,
      ...(scope !== undefined && { headers: [['X-Assay-Scope', scope]] as const }),
    });
    const askInScope = (url: string) => (scope?: string) =>
      responseText(postRequest(url, '{}', scope === undefined ? {} : { 'x-assay-scope': scope }));

    test('each scope begins at its own first recording, else at the first one without a scope', async () => {
      const ask = askInScope(await serve([sketch('mine', 'mine'), sketch('1'), sketch('2')]));
      expect([await ask('a'), await ask('b'), await ask('mine'), await ask('a'), await ask('b')]).toEqual([
        '1',
        '1',
        'mine',
        '2',
        '2',
      ]);
      expect(await ask('mine')).toContain('All recordings have been used');
      expect(await ask()).toBe('1');
    });

    test('answers any scope, and a client without one, if only other scopes were recorded', async () => {
      const ask = askInScope(await serve([sketch('1', 'gw0'), sketch('2', 'gw0'), sketch('3', 'gw1')]));
      expect([await ask('gw1'), await ask('gw7'), await ask('gw7'), await ask(), await ask('gw0')]).toEqual([
        '3',
        '1',
        '2',
        '1',
        '1',
      ]);
      expect(fixture.report()).toMatchObject({ misses: [], leftoverCount: 0 });
    });

    test('distinguishes names however long they are', async () => {
      const longName = (n: number) =>
        `tests/test_chat.py::TestTools::test_parallel_calls[gpt-4o-${n}0a9Z8b7Y6c5X]`;
      const ask = askInScope(await serve([sketch('1', longName(1)), sketch('2', longName(2))]));
      expect([await ask(longName(2)), await ask(longName(1))]).toEqual(['2', '1']);
    });
  });

  test('ignores values that are declared volatile', async () => {
    const body = (id: string, n: number) => json({ metadata: { id }, messages: [{ id, n }] });
    const url = await serve([{ body: body('one', 1) }, { body: body('one', 2) }], {
      volatile: ['/metadata/id', '/messages/*/id'],
    });
    expect((await postRequest(url, body('two', 2))).status).toBe(200);
    expect((await postRequest(url, body('two', 3))).status).toBe(501);
    expect((await postRequest(url, body('three', 1))).status).toBe(200);
  });

  test('ignores the fields of a form that are declared volatile', async () => {
    const form = (text: string) =>
      `--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${text}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const dir = await fixture.writeCassette([{ body: form('a'), headers: Object.entries(headers) }]);
    for (const [pointer, status] of [
      ['/prompt', 200],
      ['/*', 200],
      ['/other', 501],
    ] as const) {
      const replayer = await startReplayer({ cassettes: [dir], volatile: [pointer] });
      const answer = await postRequest(replayer.url, form('b'), headers);
      await replayer.close();
      expect([pointer, answer.status]).toEqual([pointer, status]);
    }
  });

  test('rejects a volatile place that is not a JSON pointer', async () => {
    const invalid = { cassettes: [await fixture.writeCassette([])], volatile: ['metadata/id'] };
    await expect(startReplayer(invalid)).rejects.toThrow('metadata/id is not a JSON pointer');
  });

  test('accepts any API key, or none, if the recorder added the key; other cassettes keep their rule', async () => {
    const injected = { body: '{}', headers: [['Authorization', 'Bearer sk-injected-0123456789']] as const };
    const keyless = json({ m: 1, n: 2 });
    const dirs = [
      await fixture.writeCassette([injected, injected, injected], 'injected', { keyInjected: true }),
      await fixture.writeCassette([{ body: keyless }], 'keyless'),
    ];
    for (const volatile of [[], ['/metadata/id']]) {
      const replayer = await startReplayer({ cassettes: dirs, volatile });
      const post = (body: string, headers: Record<string, string> = {}) =>
        postRequest(replayer.url, body, headers);
      const statuses = async (body: string) => [
        (await post(body)).status,
        (await post(body, { authorization: 'Bearer another' })).status,
        (await post(body, { 'x-api-key': 'mine' })).status,
      ];
      expect(await statuses('{}')).toEqual([200, 200, 200]);
      expect(await statuses(keyless)).toEqual([200, 501, 501]);
      const miss = await (await post(keyless, { 'x-api-key': 'mine' })).json();
      await replayer.close();
      const differences = [{ at: 'credentials', recorded: 'absent', asked: 'present' }];
      expect(miss).toMatchObject({ error: { nearest: [{ differences }, {}, {}] } });
    }
  });

  test('knows the secrets of the environment as the recorder does', async () => {
    const secret = 'tok-0a9Z8b7Y6c5X4d3W';
    const redaction = { environment: { SERVICE_TOKEN: secret } };
    const body = json({ metadata: { token: secret } });
    const url = await serve([{ body }], { redaction }, { redactor: new Redactor(redaction) });
    expect((await postRequest(url, body)).status).toBe(200);
  });

  test('searches several cassettes in order', async () => {
    const dirs = [
      await fixture.writeCassette([{ body: '{}', pieces: [['a', 0]] }], 'a'),
      await fixture.writeCassette(
        [
          { body: '{}', pieces: [['b', 0]] },
          { body: '[]', pieces: [['c', 0]] },
        ],
        'b',
      ),
    ];
    const url = await fixture.start({ cassettes: dirs });
    expect([
      await responseText(postRequest(url, '[]')),
      await responseText(postRequest(url, '{}')),
      await responseText(postRequest(url, '{}')),
    ]).toEqual(['c', 'a', 'b']);
  });
});

test('a miss names the nearest recording, the differences, and how to record it', async () => {
  const messages: string[] = [];
  const url = await serve(
    [
      { target: '/v1/embeddings', body: json({ model: 'm' }) },
      { body: json({ model: 'm', n: 2, messages: [{ role: 'user', content: 'hi' }] }) },
    ],
    { onMiss: (_, message) => messages.push(message) },
  );
  const answer = await postRequest(
    url,
    json({ model: 'm', n: 3, messages: [{ role: 'user', content: 'ho' }] }),
  );
  expect(answer.status).toBe(501);
  expect(answer.headers.get('x-assay-error')).toBe('miss');
  expect(await answer.json()).toMatchObject({
    error: {
      type: 'assay_proxy',
      code: 'miss',
      nearest: [
        {
          exchange: 'e2',
          differences: [
            { at: 'body /messages/0/content', recorded: 'hi', asked: 'ho' },
            { at: 'body /n', recorded: 2, asked: 3 },
          ],
        },
        { exchange: 'e1' },
      ],
    },
  });
  expect(messages[0]).toBe(
    [
      'No recorded exchange answers  POST /v1/chat/completions',
      `      cassette  ${fixture.path()}`,
      '      nearest   e2  POST /v1/chat/completions',
      '      at        body /messages/0/content',
      '      recorded  "hi"',
      '      asked     "ho"',
      '      at        body /n',
      '      recorded  2',
      '      asked     3',
      `      again     npx assay record --base-url http://127.0.0.1:1/v1 --cassette ${fixture.path()} --mode new`,
    ].join('\n'),
  );
});

test('a request whose recording was cut off is reported as such, and not compared with another recording', async () => {
  const messages: string[] = [];
  const url = await serve(
    [
      { body: json({ messages: ['first'] }) },
      { body: json({ messages: ['second'] }), how: 'recorder-killed' },
    ],
    { onMiss: (_, message) => messages.push(message) },
  );
  expect((await postRequest(url, json({ messages: ['first'] }))).status).toBe(200);
  const missed = await postRequest(url, json({ messages: ['second'] }));
  const nearest = [{ exchange: 'e2', differences: [] }];
  expect(await missed.json()).toMatchObject({ error: { code: 'cut-off', nearest } });
  expect(messages[0]).toContain(
    'The recorder was stopped before the end of the response to  POST /v1/chat/completions\n',
  );
  expect(messages[0]).toContain('      recorded  e2  POST /v1/chat/completions\n      again ');
  const other = await postRequest(url, json({ messages: ['third'] }));
  expect(await other.json()).toMatchObject({ error: { code: 'miss', nearest: [{ exchange: 'e1' }] } });
});

test('unused recordings are listed, and fail a strict replay', async () => {
  const url = await serve([{ body: '{}' }, { method: 'GET', target: '/v1/models' }], { strict: true });
  await postRequest(url, '{}');
  expect(fixture.report()).toMatchObject({
    answered: 1,
    unusedRecordings: [{ exchange: 'e2', method: 'GET', target: '/v1/models' }],
    failed: true,
  });
});

test('a closed replayer can be closed again, and reports its final counts', async () => {
  const replayer = await startReplayer({ cassettes: [await fixture.writeCassette([{ body: '{}' }])] });
  const report = await replayer.close();
  expect(report.leftoverCount).toBe(1);
  expect(replayer.report()).toEqual(report);
  expect(await replayer.close()).toEqual(report);
});

test('a miss tells the client the nearest recording, prevents retries, and counts once however often it is repeated', async () => {
  const messages: string[] = [];
  const url = await serve([{ body: '{"a":1}' }], { onMiss: (_, message) => messages.push(message) });
  for (const body of ['{"a":2}', '{"a":2}', '{ "a": 2 }', '{"a":3}']) {
    const answer = await postRequest(url, body);
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([501, 'false']);
    expect(await answer.json()).toMatchObject({
      error: {
        message: expect.stringMatching(
          /\. Nearest: e1 POST \/v1\/chat\/completions, which differs in body \/a\.$/,
        ),
      },
    });
  }
  expect(messages).toHaveLength(2);
  expect(fixture.report()?.misses).toHaveLength(2);
});
