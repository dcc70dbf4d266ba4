import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startReplayer } from '../replay/replay.ts';
import { deferred } from '../testing/deferred.ts';
import { type RawAnswer, sendRaw } from '../testing/raw-client.ts';
import { type RawService, startRawService } from '../testing/raw-service.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';
import { verifyCassette } from '../verify/verify.ts';
import { startRecorder } from './record.ts';

const fixture = createRecordFixture();
let service: RawService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

const REQUEST = 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

async function recordAndReplay(
  answer: string,
  request = REQUEST,
): Promise<{ recorded: RawAnswer; replayed: RawAnswer }> {
  service = await startRawService(answer);
  const recorder = await startRecorder({ baseUrl: service.url, cassette: fixture.cassette() });
  const recorded = await sendRaw(recorder.url, request);
  service.answer = Buffer.from(OK);
  expect((await sendRaw(recorder.url, REQUEST)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  await recorder.close();
  const replayer = await startReplayer({ cassettes: [fixture.cassette()], strict: false });
  const replayed = await sendRaw(replayer.url, request);
  await replayer.close();
  return { recorded, replayed };
}

const head = ({ text }: RawAnswer) => text.split('\r\n\r\n')[0] ?? '';
const status = (answer: RawAnswer) => head(answer).split('\r\n')[0];
const body = ({ text }: RawAnswer) => text.slice(text.indexOf('\r\n\r\n') + 4);

describe('a response that cannot be passed on becomes a 502', () => {
  test.each([
    [
      'a reason phrase with control bytes',
      'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok',
      200,
      'O\x01K',
      2,
    ],
    ['a reason phrase with a null', 'HTTP/1.1 200 O\x00K\r\nContent-Length: 2\r\n\r\nok', 200, 'O\x00K', 2],
    ['status 000', 'HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nok', 0, 'X', 2],
    ['status 099', 'HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nok', 99, 'X', 2],
    ['an unsolicited 101', 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nok', 101, 'S', 0],
    ['an unsolicited 101 without an upgrade', 'HTTP/1.1 101 S\r\n\r\n', 101, 'S', 0],
    [
      'more header fields than Node keeps',
      `HTTP/1.1 200 OK\r\n${'X-Assay-N: 1\r\n'.repeat(3_000)}Content-Length: 2\r\n\r\nok`,
      200,
      'OK',
      2,
    ],
  ])(
    'with %s, and is recorded with its status, reason phrase and body',
    async (_, answer, code, reason, size) => {
      const { recorded, replayed } = await recordAndReplay(answer);
      expect(status(recorded)).toBe('HTTP/1.1 502 Bad Gateway');
      expect(JSON.parse(body(recorded))).toMatchObject({
        error: {
          code: 'upstream_invalid',
          message: expect.stringMatching(/^The upstream sent a response that cannot be passed on: it/),
        },
      });
      expect([status(replayed), body(replayed)]).toEqual([status(recorded), body(recorded)]);
      const [exchange] = await fixture.readExchanges();
      expect(exchange).toMatchObject({
        response: { status: code, reason, body: { size } },
        end: { how: 'complete' },
      });
    },
  );

  test.each([
    ['a status of four digits', 'HTTP/1.1 1000 X\r\nContent-Length: 2\r\n\r\nok', 'HPE_INVALID_STATUS'],
    ['a field with control bytes', 'HTTP/1.1 200 OK\r\nX: a\x01\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['HTTP/2 in clear', 'HTTP/2 200 OK\r\n\r\nok', 'HPE_INVALID_VERSION'],
  ])('with %s, and is recorded as a reset with the error of the parser', async (_, answer, detail) => {
    const { recorded, replayed } = await recordAndReplay(answer);
    for (const received of [recorded, replayed]) {
      expect(status(received)).toBe('HTTP/1.1 502 Bad Gateway');
      expect(JSON.parse(body(received))).toMatchObject({ error: { code: 'upstream_invalid' } });
    }
    const [exchange] = await fixture.readExchanges();
    expect(exchange).toMatchObject({ response: null, end: { how: 'upstream-reset', detail } });
  });
});

describe('a response whose head can be passed on', () => {
  test.each([
    ['status 600', 'HTTP/1.1 600 X\r\nContent-Length: 2\r\n\r\nok'],
    ['status 999', 'HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\nok'],
    ['no reason phrase', 'HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok'],
    ['a reason phrase beyond ASCII', 'HTTP/1.1 200 O\xe9\tK\r\nContent-Length: 2\r\n\r\nok'],
    ['a body with 205', 'HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nok'],
    [
      'a safe field of a megabyte',
      `HTTP/1.1 200 OK\r\nServer: ${'a'.repeat(1_000_000)}\r\nContent-Length: 2\r\n\r\nok`,
    ],
    [
      '200,000 nested arrays',
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${deep.length}\r\n\r\n${deep}`,
    ],
    ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Assay-T: 1\r\n\r\n'],
  ])('is forwarded unchanged with %s', async (_, answer) => {
    const { recorded, replayed } = await recordAndReplay(answer);
    expect(recorded.text.replace('\r\nConnection: close', '')).toBe(answer);
    expect(replayed.text).toBe(answer);
  });

  test.each([
    ['a body with 204', 'HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok', ''],
    ['chunks with 204', 'HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', ''],
    ['a body with 304', 'HTTP/1.1 304 Not\r\nContent-Length: 2\r\n\r\nok', ''],
    ['more than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore', 'ok'],
  ])('is forwarded with %s, but without the bytes that do not belong to it', async (_, answer, content) => {
    const { recorded, replayed } = await recordAndReplay(answer);
    for (const received of [recorded, replayed]) {
      expect(status(received)).toBe(answer.split('\r\n')[0]);
      expect(body(received)).toBe(content);
    }
    const [exchange] = await fixture.readExchanges();
    expect(exchange).toMatchObject({ end: { how: 'complete', detail: 'HPE_INVALID_CONSTANT' } });
  });

  test.each([
    [
      'invalid trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: a\x01\r\n\r\n',
    ],
    ['an invalid second chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n'],
  ])('is cut short by %s, after the part that was received', async (_, answer) => {
    const { recorded, replayed } = await recordAndReplay(answer);
    for (const received of [recorded, replayed]) expect(body(received)).toBe('2\r\nok\r\n');
    const [exchange] = await fixture.readExchanges();
    expect(exchange).toMatchObject({ response: { body: { text: 'ok' } }, end: { how: 'upstream-reset' } });
  });

  test('does not announce trailers that cannot follow', async () => {
    const { recorded, replayed } = await recordAndReplay(
      'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nContent-Length: 2\r\n\r\nok',
    );
    for (const received of [recorded, replayed]) {
      expect(status(received)).toBe('HTTP/1.1 200 OK');
      expect(head(received)).not.toMatch(/^trailer:/im);
      expect(body(received)).toBe('ok');
    }
    const [exchange] = await fixture.readExchanges();
    expect(exchange?.response?.headers).toContainEqual(['Trailer', 'X-T']);
  });

  test('is preceded by informational responses, except in a replay and for a client of HTTP/1.0', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const { recorded, replayed } = await recordAndReplay(`${hints}${OK}`);
    expect(recorded.text).toBe(`${hints}${OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
    expect(replayed.text).toBe(OK);
    await service?.close();
    const old = await recordAndReplay(`${hints}${OK}`, 'GET /v1/models HTTP/1.0\r\n\r\n');
    expect(status(old.recorded)).toBe('HTTP/1.1 200 OK');
  });
});

test('a client of HTTP/1.0 gets no chunks, and no persistent connection', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: 1\r\n\r\n';
  const { recorded } = await recordAndReplay(answer, 'GET /v1/models HTTP/1.0\r\n\r\n');
  expect(recorded.text).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok');
});

test.each<[string, (socket: Socket) => void]>([
  ['resets', (socket) => socket.resetAndDestroy()],
  ['closes', (socket) => socket.end()],
])(
  'if a service %s the connection before it responds, the connection of the client is reset',
  async (_, disconnect) => {
    service = await startRawService('', disconnect);
    const recorder = await startRecorder({ baseUrl: service.url, cassette: fixture.cassette() });
    expect(await sendRaw(recorder.url, REQUEST)).toEqual({ text: '', error: 'ECONNRESET' });
    await recorder.close();
    const [exchange] = await fixture.readExchanges();
    expect(exchange).toMatchObject({ response: null, end: { how: 'upstream-reset', detail: 'ECONNRESET' } });
    const replayer = await startReplayer({ cassettes: [fixture.cassette()], strict: false });
    expect(await sendRaw(replayer.url, REQUEST)).toEqual({ text: '', error: 'ECONNRESET' });
    await replayer.close();
  },
);

test('verify reports a switch of protocols as a drift', async () => {
  service = await startRawService(OK);
  const recorder = await startRecorder({ baseUrl: service.url, cassette: fixture.cassette() });
  await sendRaw(recorder.url, REQUEST);
  await recorder.close();
  service.answer = Buffer.from('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
  const { drifted } = await verifyCassette({ baseUrl: service.url, cassette: fixture.cassette() });
  expect(drifted).toMatchObject([{ drifts: [{ now: expect.stringContaining('switches protocols') }] }]);
});

test('200,000 nested arrays in a request are recorded, matched and missed', async () => {
  const recorder = await fixture.start(async (req, res) => res.end(`${(await requestBodyOf(req)).length}`));
  const requestWith = (text: string) =>
    `POST /v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  await sendRaw(recorder.url, requestWith(deep));
  await fixture.stopRecorder();
  const replayer = await startReplayer({ cassettes: [fixture.cassette()], strict: false });
  const answers = [
    await sendRaw(replayer.url, requestWith(deep)),
    await sendRaw(replayer.url, requestWith(`[${deep}]`)),
  ];
  expect(answers.map(status)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 501 Not Implemented']);
  await replayer.close();
});

test('a pipelined response whose service resets the connection is cut after the response before it', async () => {
  const reset = deferred();
  const { url } = await fixture.start(async (req, res) => {
    if (req.url === '/v1/cut') {
      res.on('close', () => reset.resolve());
      res.write('part', () => setImmediate(() => res.socket?.resetAndDestroy()));
      return;
    }
    await reset.promise;
    res.end('slow');
  });
  const requests = ['slow', 'cut'].map((name) => `GET /v1/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const recorded = await sendRaw(url, requests.join(''));
  expect(recorded.text).toMatch(/\r\n\r\nslowHTTP\/1\.1 200 OK\r\n[\s\S]*\r\n4\r\npart\r\n$/);
  const exchanges = await fixture.readExchanges();
  expect(exchanges.map(({ end }) => end.how).toSorted()).toEqual(['complete', 'upstream-reset']);
});
