import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../exchange/testing/property-runs.ts';
import { startRecorder } from '../record/record.ts';
import { requestBodyOf, startUpstream } from '../testing/upstream.ts';
import { startReplayer } from './replay.ts';

/** An exchange to be performed by both sides. */
interface Plan {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly status: number;
  readonly answerType: string;
  readonly pieces: readonly Uint8Array[];
  readonly known: boolean;
  readonly gzip: boolean;
  /** After its pieces the upstream ends, resets the connection, or continues until the client disconnects. */
  readonly end: 'complete' | 'reset' | 'abort';
}

const text = fc.oneof(
  fc.json().map((json) => Buffer.from(json)),
  fc.string({ unit: 'grapheme' }).map((string) => Buffer.from(string)),
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: 9_000, maxLength: 9_100 }),
);
const stream = fc
  .array(
    fc.oneof(
      fc.json().map((json) => `data: ${json}\n\n`),
      fc.constantFrom(': hi\n\n', 'event: x\r\ndata: é\r\n\r\n', 'data: [DONE]\n\n'),
    ),
  )
  .map((events) => Buffer.from(events.join('')));

const plan: fc.Arbitrary<Plan> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    path: fc.constantFrom('/v1/models', '/v1/files?limit=2&after=a%20b', '/v1/threads/t'),
    type: fc.constantFrom('application/json', 'text/plain'),
    body: text,
    status: fc.constantFrom(200, 201, 404, 500),
    sse: fc.boolean(),
    bytes: text,
    events: stream,
    cuts: fc.array(fc.nat(9_000), { maxLength: 4 }),
    known: fc.boolean(),
    gzip: fc.boolean(),
    end: fc.constantFrom('complete', 'complete', 'reset', 'abort'),
  })
  .map(({ sse, bytes, events, cuts, gzip, ...rest }) => {
    const content = sse ? events : gzip ? gzipSync(bytes) : bytes;
    const at = [
      0,
      ...cuts.map((cut) => cut % (content.length + 1)).toSorted((a, b) => a - b),
      content.length,
    ];
    const pieces = at.slice(1).map((to, i) => content.subarray(at[i], to));
    const answerType = sse ? 'text/event-stream' : 'application/octet-stream';
    return { ...rest, answerType, pieces: pieces.filter(({ length }) => length > 0), gzip: gzip && !sse };
  });

async function answer(res: ServerResponse, one: Plan): Promise<void> {
  const size = one.pieces.reduce((sum, { length }) => sum + length, 0);
  const promised = one.end === 'complete' ? size : size + 10;
  res.writeHead(one.status, [
    ...['Content-Type', one.answerType, 'X-Assay-A', '1', 'x-assay-a', '2'],
    ...(one.known ? ['Content-Length', String(promised)] : []),
    ...(one.gzip ? ['Content-Encoding', 'gzip'] : []),
  ]);
  res.flushHeaders();
  for (const piece of one.pieces) {
    await new Promise((done) => res.write(piece, done));
    await new Promise(setImmediate);
  }
  if (one.end === 'complete') res.end();
  else if (one.end === 'reset') res.socket?.destroySoon();
}

/** Sends the request, reads the response, and disconnects where the plan says so. Returns the received bytes. */
function ask(base: string, one: Plan, key: string): Promise<Buffer> {
  const size = one.pieces.reduce((sum, { length }) => sum + length, 0);
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    const headers = [
      'Content-Type',
      one.type,
      'Authorization',
      `Bearer ${key}`,
      'Content-Length',
      String(one.body.length),
    ];
    const outgoing = request(
      new URL(one.path, base),
      { method: one.method, headers, agent: false },
      (incoming) => {
        const leave = () => {
          if (one.end === 'abort' && Buffer.concat(seen).length >= size) outgoing.destroy();
        };
        incoming.on('data', (piece: Buffer) => {
          seen.push(piece);
          leave();
        });
        incoming.on('error', () => {});
        incoming.on('close', () => resolve(Buffer.concat(seen)));
        leave();
      },
    );
    outgoing.on('error', () => resolve(Buffer.concat(seen)));
    outgoing.end(one.body);
  });
}

const KEYS = ['sk-the-first-key-0123456789', 'sk-another-key-9876543210-x'] as const;

async function roundTrip(plans: readonly Plan[], root: string): Promise<[string, string]> {
  let n = 0;
  const closed: Promise<void>[] = [];
  const service = await startUpstream(async (req, res) => {
    const one = plans[n];
    n += 1;
    closed.push(new Promise((done) => void res.on('close', done)));
    await requestBodyOf(req);
    if (one !== undefined) await answer(res, one);
  });
  const [first, second] = [join(root, 'a'), join(root, 'b')];
  const live = await startRecorder({ baseUrl: service.url, cassette: first });
  const seen: Buffer[] = [];
  for (const one of plans) {
    seen.push(await ask(live.url, one, KEYS[0]));
    // The next one begins only when this one has ended on all sides.
    await closed.at(-1);
  }
  await live.close();
  await service.close();

  const replayer = await startReplayer({ cassettes: [first], strict: true });
  const again = await startRecorder({ baseUrl: replayer.url, cassette: second });
  for (const [i, one] of plans.entries()) expect(await ask(again.url, one, KEYS[1])).toEqual(seen[i]);
  await again.close();
  expect((await replayer.close()).failed).toBe(false);
  const lines = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
  return [lines(first), lines(second)];
}

test('traffic that is recorded, replayed and recorded again is the same byte for byte, however it ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 4 }), async (plans) => {
      const root = mkdtempSync(join(tmpdir(), 'assay-round-'));
      try {
        const [first, second] = await roundTrip(plans, root);
        expect(second).toBe(first);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: propertyRuns(40) },
  );
});
