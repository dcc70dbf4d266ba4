// The proxy gets responses that are mutated pseudo-randomly. Whatever arrives, the client's response ends, the
// recorder survives, and its recording can be read and replayed.
import { createServer, request } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { afterEach, expect, onTestFailed, test } from 'vitest';
import { openCassette } from '../exchange/cassette/cassette.ts';
import { createMutator, type Mutator } from '../exchange/testing/mutations.ts';
import { propertyRuns } from '../exchange/testing/property-runs.ts';
import { isNote } from '../exchange/trace.ts';
import { ProxiedExchange } from './forward/proxied-exchange.ts';
import { startRecorder } from './record/record.ts';
import { NULL_LISTENER } from './record/recording-listener.ts';
import { startReplayer } from './replay/replay.ts';
import { sendRaw } from './testing/raw-client.ts';
import { type RawService, startRawService } from './testing/raw-service.ts';
import { createRecordFixture } from './testing/record-fixture.ts';

const SEED = 20_260_119;
const IN_MEMORY_RUNS = propertyRuns(38_000);
const SOCKET_RUNS = propertyRuns(2_000);
const CONCURRENCY = 8;

const fixture = createRecordFixture();
let service: RawService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

const ANSWERS = [
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nb\r\ndata: [1]\n\n\r\n4\r\ndata\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
  'HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 2\r\nSet-Cookie: a=b\r\n\r\nno',
  'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x00',
  'HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
] as const;

const REQUESTS = [
  'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'GET /v1/models HTTP/1.0\r\n\r\n',
  'POST /v1/moderations HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"input":"a"}',
] as const;

const RECEIVED_PATTERN =
  /^(?:HTTP\/1\.1 1\d\d [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)*(?:HTTP\/1\.1 [2-9]\d\d [\t\x20-\x7e\x80-\xff]*\r\n|$)/;

const answersByPath = new Map<string, Buffer>();
/** The forwarding code of the proxy between node's parsers, on in-memory streams, without sockets and http-proxy. */
const inMemory = createServer((req, res) => {
  const [near, far] = duplexPair();
  far.once('data', () => far.end(answersByPath.get(req.url ?? ''))).on('error', () => {});
  const proxied = new ProxiedExchange(req, res, NULL_LISTENER, null);
  // as: the request only reads and writes bytes
  const createConnection = () => near as Socket;
  const outgoing = request({ method: req.method, path: '/', createConnection });
  outgoing.on('response', (incoming) => proxied.receive(incoming));
  outgoing.on('information', (information) => proxied.forwardInformation(information));
  outgoing.on('upgrade', (incoming) => proxied.receiveProtocolSwitch(incoming));
  outgoing.on('error', (error) => proxied.fail(error));
  proxied.attach(outgoing);
  proxied.pipe(outgoing);
});

function forward(n: number, requestText: string, answer: Buffer): Promise<string> {
  const path = `/v1/${n}`;
  answersByPath.set(path, answer);
  const [client, connection] = duplexPair();
  const end = () => connection.destroy();
  const endSoon = () => connection.end(end);
  inMemory.emit('connection', Object.assign(connection, { resetAndDestroy: end, destroySoon: endSoon }));
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const done = () => {
      answersByPath.delete(path);
      resolve(Buffer.concat(pieces).toString('latin1'));
    };
    client.on('data', (piece: Buffer) => pieces.push(piece));
    client.on('end', done).on('close', done).on('error', done);
    connection.on('close', done);
    client.write(requestText.replace(/ \/\S+/, ` ${path}`));
  });
}

const createResponse = (mutator: Mutator) => Buffer.from(mutator.mutateHttp(mutator.pick(ANSWERS)), 'latin1');

test(`${IN_MEMORY_RUNS} mutated responses all end for the client, in a response or a broken connection`, async () => {
  const mutator = createMutator(SEED);
  const inFlight: Buffer[] = [];
  onTestFailed(() =>
    console.error(inFlight.map((answer) => JSON.stringify(answer.toString('latin1').slice(0, 500)))),
  );
  let remaining = IN_MEMORY_RUNS;
  let answered = 0;
  const forwardRemaining = async (worker: number) => {
    while (remaining > 0) {
      remaining -= 1;
      const answer = createResponse(mutator);
      inFlight[worker] = answer;
      const text = await forward(remaining, mutator.pick(REQUESTS), answer);
      expect(text).toMatch(RECEIVED_PATTERN);
      if (text !== '') answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, worker) => forwardRemaining(worker)));
  expect(answered).toBeGreaterThan(IN_MEMORY_RUNS / 2);
});

test(`${SOCKET_RUNS} mutated responses on sockets are recorded, read back and replayed`, async () => {
  service = await startRawService();
  const mutator = createMutator(SEED + 1);
  const recorder = await startRecorder({ baseUrl: service.url, cassette: fixture.cassette() });
  const seen: string[] = [];
  for (let n = 0; n < SOCKET_RUNS; n += 1) {
    service.answer = createResponse(mutator);
    const { text } = await sendRaw(recorder.url, mutator.pick(REQUESTS).replace(' HTTP', `/${n} HTTP`));
    expect(text, JSON.stringify(service.answer.toString('latin1').slice(0, 500))).toMatch(RECEIVED_PATTERN);
    seen.push(text);
  }
  const report = await recorder.close();
  expect(report).toMatchObject({ recorded: SOCKET_RUNS, unrecorded: 0 });
  const cassette = await openCassette(fixture.cassette());
  let read = 0;
  for await (const item of cassette.items()) {
    if (isNote(item)) continue;
    expect(
      ['complete', 'upstream-reset'],
      `${item.request.method} ${item.request.target} ${JSON.stringify(seen[Number(item.id.slice(1)) - 1])}`,
    ).toContain(item.end.how);
    read += 1;
  }
  expect(read).toBe(SOCKET_RUNS);
  const replayer = await startReplayer({ cassettes: [fixture.cassette()], strict: false });
  for (let k = 0; k < cassette.size; k += 1) {
    const { method, target } = cassette.request(k);
    const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
    const body = method === 'POST' ? 'Content-Length: 13\r\n\r\n{"input":"a"}' : '\r\n';
    const { text } = await sendRaw(replayer.url, `${head}${body}`);
    expect(text, seen[k]).toMatch(RECEIVED_PATTERN);
    expect(statusOf(text), target).toBe(statusOf(seen[k] ?? ''));
  }
  await replayer.close();
  cassette.close();
});

function statusOf(text: string): string | undefined {
  return /^(?:HTTP\/1\.1 1[\s\S]*?\r\n\r\n)*HTTP\/1\.1 ([2-9]\d\d)/.exec(text)?.[1];
}
