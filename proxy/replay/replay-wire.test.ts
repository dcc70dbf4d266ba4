import { createServer } from 'node:http';
import net from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { connectTo, sendExpecting, sendRaw } from '../testing/raw-client.ts';
import {
  createReplayFixture,
  postRequest,
  type RecordedSketch,
  responseText,
} from '../testing/replay-fixture.ts';
import { portOf } from '../testing/upstream.ts';
import { startReplayer } from './replay.ts';

const fixture = createReplayFixture();
const { serve } = fixture;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

test('a pipelined response whose client disconnected is cut after the response before it', async () => {
  const url = await serve(
    [
      { method: 'GET', target: '/v1/slow', pieces: [['slow', 100]], at: 100 },
      { method: 'GET', target: '/v1/cut', pieces: [['part', 0]], how: 'client-abort' },
    ],
    { pace: 1 },
  );
  const requests = ['slow', 'cut'].map((name) => `GET /v1/${name} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const { text } = await sendRaw(url, requests.join(''));
  expect(text).toMatch(/\r\nslow\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*\r\n4\r\npart\r\n$/);
});

describe('a replayed response', () => {
  const stream: RecordedSketch = {
    body: '{}',
    answerHeaders: [
      ['content-type', 'text/event-stream'],
      ['X-Assay-A', '1'],
      ['x-assay-a', '2'],
    ],
    pieces: [
      ['data: 1\n', 10],
      ['\ndata: 2\n\n', 150],
    ],
  };
  const REQUEST = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

  test('has the recorded fields and pieces', async () => {
    const url = await serve([{ ...stream, at: 150 }]);
    const answer = await sendRaw(url, REQUEST, (all) => all.endsWith('0\r\n\r\n'));
    expect(answer.text).toBe(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nX-Assay-A: 1\r\nx-assay-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '8\r\ndata: 1\n\r\na\r\n\ndata: 2\n\n\r\n0\r\n\r\n',
    );
  });

  test('has no length next to a transfer coding, even if a forged cassette has one', async () => {
    const answerHeaders = [
      ['Content-Length', '2'],
      ['Transfer-Encoding', 'chunked'],
    ] as const;
    const url = await serve([{ body: '{}', answerHeaders, pieces: [['{"a":1}', 0]] }]);
    const answer = await sendRaw(url, REQUEST, (all) => all.endsWith('0\r\n\r\n'));
    expect(answer.text).toBe(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
    );
  });

  test('is cut off where the upstream connection broke', async () => {
    const url = await serve([{ ...stream, how: 'upstream-reset' }]);
    const answer = await sendRaw(url, REQUEST);
    expect(answer.text).toMatch(/a\r\n\ndata: 2\n\n\r\n$/);
  });

  test('is reset after the recorded pieces if the client had disconnected, which is reported once', async () => {
    const words: string[] = [];
    const url = await serve([{ ...stream, how: 'client-abort' }], { onCut: (said) => words.push(said) });
    const answer = await sendRaw(url, REQUEST);
    expect(answer.text).toMatch(/\r\n\r\n8\r\ndata: 1\n\r\na\r\n\ndata: 2\n\n\r\n$/);
    expect(answer.error).toBe('ECONNRESET');
    expect(words).toEqual([
      expect.stringMatching(/recorded in e1 disconnected before the response was complete/),
    ]);
  });

  test('is only a reset if the client had disconnected before a response, or the service broke off', async () => {
    const url = await serve([
      { body: '{}', isAnswered: false, how: 'client-abort' },
      { body: '{}', isAnswered: false, how: 'upstream-reset', detail: 'ECONNRESET' },
    ]);
    for (const _ of [1, 2]) expect(await sendRaw(url, REQUEST)).toEqual({ text: '', error: 'ECONNRESET' });
    expect(fixture.report()).toMatchObject({ answered: 2, failed: false });
  });

  test('has each recorded piece in its own packet if the client reads without delay', async () => {
    const pieces = Array.from({ length: 40 }, (_, n) => [`data: ${n}\n\n`, 0] as const);
    const url = await serve([{ ...stream, pieces }]);
    const seen: string[] = [];
    const socket = connectTo(url).on('data', (bytes) => seen.push(bytes.toString('latin1')));
    socket.write(REQUEST);
    while (!seen.at(-1)?.endsWith('0\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    const read = seen.map((packet) => packet.match(/data: \d+/g) ?? []);
    expect(read.filter((found) => found.length > 1)).toEqual([]);
    expect(read.flat()).toHaveLength(pieces.length);
  });

  test('closes the connection if the client asks for it, whatever the service said about its own', async () => {
    const fields = ['keep-alive', 'Upgrade'].map(
      (value) =>
        [
          ['Connection', value],
          ['Keep-Alive', 'timeout=900'],
        ] as const,
    );
    const url = await serve(fields.map((answerHeaders) => ({ body: '{}', answerHeaders })));
    const closing = REQUEST.replace('\r\n', '\r\nConnection: close\r\n');
    for (const _ of fields) {
      // Resolves only when the server has closed the connection.
      expect(await sendRaw(url, closing)).toEqual({
        text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
        error: null,
      });
    }
    expect(fixture.report()).toMatchObject({ answered: 2, misses: [], leftoverCount: 0 });
  });

  const HTTP_1_0_REQUEST = REQUEST.replace('HTTP/1.1', 'HTTP/1.0');

  test('has no chunks for an HTTP/1.0 client, and ends with the connection', async () => {
    const chunked = [
      ['Transfer-Encoding', 'chunked'],
      ['Connection', 'keep-alive'],
    ] as const;
    const url = await serve([{ body: '{}', answerHeaders: chunked }]);
    const answer = await sendRaw(url, HTTP_1_0_REQUEST);
    expect(answer.text).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok');
  });

  test('keeps the connection of an HTTP/1.0 client on request', async () => {
    const url = await serve(
      [1, 2].map(() => ({ body: '{}', answerHeaders: [['Content-Length', '2']] as const })),
    );
    const keeping = HTTP_1_0_REQUEST.replace('\r\n', '\r\nConnection: keep-alive\r\n');
    // A server that closed the connection would not answer the second request.
    const kept = await sendRaw(url, keeping.repeat(2), (all) => all.split('\r\n\r\nok').length > 2);
    expect(kept.text).toMatch(
      /^(?:HTTP\/1\.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n(?:Keep-Alive: .*\r\n)?\r\nok){2}$/,
    );
  });

  test('is never an upgrade or a tunnel: both are rejected, and count as misses', async () => {
    const words: string[] = [];
    const url = await serve([], { onMiss: (_, said) => words.push(said) });
    const upgrade =
      'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect((await sendRaw(url, upgrade)).text).toMatch(
      /^HTTP\/1\.1 501 Not Implemented\r\n[\s\S]*are not replayed: GET \/v1\/realtime\.[\s\S]*"code": "upgrade"/,
    );
    expect((await sendRaw(url, 'CONNECT api.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).text).toMatch(
      /^HTTP\/1\.1 501 Not Implemented\r\n[\s\S]*"code": "connect"/,
    );
    expect(words.map((said) => said.split('\n')[0])).toEqual([
      'Upgraded connections are not replayed: GET /v1/realtime',
      'Connections through the proxy are not replayed: CONNECT api.example:443',
    ]);
    expect(fixture.report()).toMatchObject({
      failed: true,
      misses: [{ code: 'upgrade' }, { code: 'connect' }],
    });
  });

  test('does not exist for an upgrade, whose miss shows no secret of the URL', async () => {
    const key = 'sk-0123456789abcdefghij';
    const words: string[] = [];
    const url = await serve([], { onMiss: (_, said) => words.push(said) });
    await sendRaw(
      url,
      `GET /v1/realtime?api_key=${key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(words).toEqual([expect.stringMatching(/GET \/v1\/realtime\?api_key=redacted_/)]);
    expect(JSON.stringify([words, fixture.report()])).not.toContain(key);
  });

  test.each([
    { what: 'the status 0', status: 0 },
    { what: 'the status 101', status: 101 },
    { what: 'a reason phrase with control bytes', reason: 'O\u0001K' },
    { what: 'a field with control bytes', answerHeaders: [['X-Assay-A', 'a\r\nb']] as const },
    { what: 'a field without a name', answerHeaders: [['', 'a']] as const },
    { what: 'a field beyond Latin-1', answerHeaders: [['X-Assay-A', '→']] as const },
  ])('is an error of the replayer if the recording has $what', async ({ what: _, ...parts }) => {
    const url = await serve([{ body: '{}', ...parts }]);
    const answer = await postRequest(url, '{}');
    expect([answer.status, await answer.json()]).toMatchObject([
      502,
      { error: { code: 'upstream_invalid' } },
    ]);
  });

  test.each([
    { pace: 1, recordedMs: 150, maxMs: 10_000 },
    { pace: 200, recordedMs: 30_000, maxMs: 10_000 },
  ])('takes the recorded $recordedMs ms, divided by the pace $pace', async ({ pace, recordedMs, maxMs }) => {
    const pieces = [['data: 1\n\n', recordedMs]] as const;
    const dir = await fixture.writeCassette([{ ...stream, pieces, at: recordedMs }], 'paced');
    const paced = await startReplayer({ cassettes: [dir], pace, strict: false });
    const began = performance.now();
    await responseText(postRequest(paced.url, '{}'));
    const elapsed = performance.now() - began;
    await paced.close();
    expect(elapsed).toBeGreaterThanOrEqual(recordedMs / pace - 1);
    expect(elapsed).toBeLessThan(maxMs);
  });

  test('is complete for a client that sends many requests before it reads a response', async () => {
    const [count, rounds] = [10, 100];
    const answers = Array.from({ length: count }, (_, n) => JSON.stringify(`${n}`.repeat(8_000)));
    const url = await serve(
      answers.map((answer, n) => ({
        body: `${n}`,
        answerHeaders: [['Content-Length', `${answer.length}`]],
        pieces: [[answer, 0]],
      })),
      { repeatLast: true },
    );
    const socket = connectTo(url);
    const createRequest = (n: number) =>
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n${n}`;
    const all = Array.from({ length: rounds * count }, (_, n) => createRequest(n % count)).join('');
    await new Promise<void>((sent) => socket.write(all, () => sent()));
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 8002\r\n\r\n';
    const expected = Buffer.from(
      answers
        .map((answer) => head + answer)
        .join('')
        .repeat(rounds),
    );
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of socket) {
      pieces.push(piece);
      size += piece.length;
      if (size >= expected.length) break;
    }
    expect(Buffer.concat(pieces).equals(expected)).toBe(true);
  });

  test('has no body if the request is HEAD', async () => {
    const url = await serve([
      { method: 'HEAD', target: '/v1/models', answerHeaders: [['content-length', '7']], pieces: [] },
    ]);
    const answer = await sendRaw(url, 'HEAD /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer.text).toBe('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n');
  });

  const expecting = (length: number) =>
    ({
      headers: [
        ['Expect', '100-continue'],
        ['Content-Length', String(length)],
      ],
    }) as const;
  const tooLarge = { ...expecting(510), status: 413, reason: 'Too Large', pieces: [] };
  const headOf = (length: number) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('comes without 100 Continue if the service responded to the head of the request alone', async () => {
    const url = await serve([tooLarge]);
    const { text } = await sendRaw(url, headOf(510), (received) => received.endsWith('\r\n\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 413 Too Large\r\n/);
    expect(fixture.report()).toMatchObject({ answered: 1, misses: [], leftoverCount: 0 });
  });

  test('to a head alone does not answer a head that announces another length', async () => {
    const url = await serve([tooLarge]);
    const { text } = await sendRaw(url, `${headOf(2)}{}`, (received) => received.includes(' 501 '));
    expect(text.startsWith(CONTINUE)).toBe(true);
    expect(fixture.report()).toMatchObject({ leftoverCount: 1 });
  });

  test('to a head alone is found although an upload of another length to the same target was recorded', async () => {
    const upload = { ...expecting(2), body: '{}', answerHeaders: [['Content-Length', '2']] } as const;
    const url = await serve([tooLarge, upload]);
    const refused = await sendRaw(url, headOf(510), (received) => received.endsWith('\r\n\r\n'));
    expect(refused.text).toMatch(/^HTTP\/1\.1 413 Too Large\r\n/);
    const accepted = await sendRaw(url, `${headOf(2)}{}`, (received) => received.endsWith('ok'));
    expect(accepted.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(fixture.report()).toMatchObject({ answered: 2, misses: [], leftoverCount: 0 });
  });

  test.each([2, 510])(
    'to a head alone is not taken for an upload of %i bytes that was recorded with its body',
    async (length) => {
      const body = ' '.repeat(length);
      const url = await serve([
        { ...expecting(length), body, answerHeaders: [['Content-Length', '2']] },
        tooLarge,
      ]);
      const { text } = await sendRaw(url, `${headOf(length)}${body}`, (received) => received.endsWith('ok'));
      expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
      expect(fixture.report()).toMatchObject({ answered: 1, misses: [], leftoverCount: 1 });
    },
  );

  test('is not sent before the body if the recorded client did not wait for 100 Continue', async () => {
    const url = await serve([{ pieces: [] }, { body: '{}', answerHeaders: [['Content-Length', '2']] }]);
    const answer = await sendRaw(url, REQUEST.replace('\r\n', '\r\nExpect: 100-continue\r\n'), (text) =>
      text.endsWith('ok'),
    );
    expect(answer.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(fixture.report()).toMatchObject({ answered: 1, leftoverCount: 1 });
  });

  test('is a reset even after 100 Continue', async () => {
    const url = await serve([{ body: '{}', isAnswered: false, how: 'upstream-reset', detail: 'ECONNRESET' }]);
    const [head = ''] = REQUEST.replace('\r\n', '\r\nExpect: 100-continue\r\n').split('{}');
    expect(await sendExpecting(url, head, '{}')).toEqual({ text: CONTINUE, error: 'ECONNRESET' });
  });

  test('is the error of the recorder if no service responded', async () => {
    const url = await serve(
      (['upstream-reset', 'upstream-timeout'] as const).map((how) => ({
        method: 'GET',
        target: `/v1/${how}`,
        isAnswered: false,
        how,
      })),
    );
    for (const [path, status, code] of [
      ['/upstream-reset', 502, 'upstream_unreachable'],
      ['/upstream-timeout', 504, 'upstream_timeout'],
    ] as const) {
      const answer = await fetch(`${url}${path}`);
      expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }]);
    }
  });
});

describe('bad input', () => {
  test('is answered with an error, and later requests are served', async () => {
    const url = await serve([{ body: '{}' }]);
    const requests = [
      'GET http://elsewhere.example/v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET /v1/../../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      `GET /v1/models HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(2_000_000)}\r\n\r\n`,
      'POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
      'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
      'GET /v1/%zz?%zz=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      'nonsense\r\n\r\n',
    ];
    for (const request of requests) {
      expect((await sendRaw(url, request)).text).toMatch(/^HTTP\/1\.1 (?:400|431|501) /);
    }
    const slow = connectTo(url);
    await new Promise<void>((sent) =>
      slow.write('POST /v1/x HTTP/1.1\r\nContent-Length: 9\r\n\r\na', () => sent()),
    );
    expect((await postRequest(url, '{}')).status).toBe(200);
    slow.destroy();
  });

  test('does not make the replayer open a connection', async () => {
    const neighbour = createServer(() => {
      throw new Error('the replayer called');
    });
    await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
    const url = await serve([{ body: '{}' }]);
    const answer = await postRequest(url, '{}');
    expect(answer.status).toBe(200);
    const connect = vi.spyOn(net.Socket.prototype, 'connect');
    try {
      // The only connection is the one of this test to the replayer.
      const rejection = await sendRaw(
        url,
        `GET http://127.0.0.1:${portOf(neighbour)}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(rejection.text).toMatch(/^HTTP\/1\.1 501 /);
      expect(connect).toHaveBeenCalledTimes(1);
    } finally {
      connect.mockRestore();
      neighbour.close();
    }
  });
});
