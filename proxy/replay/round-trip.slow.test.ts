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

interface Plan {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly status: number;
  readonly answerType: string;
  readonly pieces: readonly Uint8Array[];
  readonly hasLength: boolean;
  readonly isGzipped: boolean;
  /** After the pieces the upstream ends the body, breaks it off, or leaves it open until the client disconnects. */
  readonly end: 'complete' | 'broken-off' | 'abort';
}

const bodies = fc.oneof(
  fc.json().map((json) => Buffer.from(json)),
  fc.string({ unit: 'grapheme' }).map((string) => Buffer.from(string)),
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: 9_000, maxLength: 9_100 }),
);
const streams = fc
  .array(
    fc.oneof(
      fc.json().map((json) => `data: ${json}\n\n`),
      fc.constantFrom(': hi\n\n', 'event: x\r\ndata: é\r\n\r\n', 'data: [DONE]\n\n'),
    ),
  )
  .map((events) => Buffer.from(events.join('')));

const arbitraryPlan: fc.Arbitrary<Plan> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    path: fc.constantFrom('/v1/models', '/v1/files?limit=2&after=a%20b', '/v1/threads/t'),
    type: fc.constantFrom('application/json', 'text/plain'),
    body: bodies,
    status: fc.constantFrom(200, 201, 404, 500),
    isStream: fc.boolean(),
    bytes: bodies,
    events: streams,
    cuts: fc.array(fc.nat(9_000), { maxLength: 4 }),
    hasLength: fc.boolean(),
    isGzipped: fc.boolean(),
    end: fc.constantFrom('complete', 'complete', 'broken-off', 'abort'),
  })
  .map(({ isStream, bytes, events, cuts, isGzipped, ...members }) => {
    const binary = isGzipped ? gzipSync(bytes) : bytes;
    const content = isStream ? events : binary;
    const offsets = [
      0,
      ...cuts.map((cut) => cut % (content.length + 1)).toSorted((a, b) => a - b),
      content.length,
    ];
    const pieces = offsets.slice(1).map((to, i) => content.subarray(offsets[i], to));
    const answerType = isStream ? 'text/event-stream' : 'application/octet-stream';
    return {
      ...members,
      answerType,
      pieces: pieces.filter(({ length }) => length > 0),
      isGzipped: isGzipped && !isStream,
    };
  });

async function sendResponse(res: ServerResponse, plan: Plan): Promise<void> {
  const size = plan.pieces.reduce((sum, { length }) => sum + length, 0);
  // An incomplete body is shorter than announced.
  const announced = plan.end === 'complete' ? size : size + 10;
  res.writeHead(plan.status, [
    ...['Content-Type', plan.answerType, 'X-Assay-A', '1', 'x-assay-a', '2'],
    ...(plan.hasLength ? ['Content-Length', String(announced)] : []),
    ...(plan.isGzipped ? ['Content-Encoding', 'gzip'] : []),
  ]);
  res.flushHeaders();
  for (const piece of plan.pieces) {
    await new Promise((done) => res.write(piece, done));
    await new Promise(setImmediate);
  }
  if (plan.end === 'complete') res.end();
  else if (plan.end === 'broken-off') res.socket?.destroySoon();
}

function sendRequest(base: string, plan: Plan, key: string): Promise<Buffer> {
  const size = plan.pieces.reduce((sum, { length }) => sum + length, 0);
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    const headers = [
      'Content-Type',
      plan.type,
      'Authorization',
      `Bearer ${key}`,
      'Content-Length',
      String(plan.body.length),
    ];
    const outgoing = request(
      new URL(plan.path, base),
      { method: plan.method, headers, agent: false },
      (incoming) => {
        const disconnectAtEnd = () => {
          if (plan.end === 'abort' && Buffer.concat(seen).length >= size) outgoing.destroy();
        };
        incoming.on('data', (piece: Buffer) => {
          seen.push(piece);
          disconnectAtEnd();
        });
        incoming.on('error', () => {});
        incoming.on('close', () => resolve(Buffer.concat(seen)));
        disconnectAtEnd();
      },
    );
    outgoing.on('error', () => resolve(Buffer.concat(seen)));
    outgoing.end(plan.body);
  });
}

const KEYS = ['sk-the-first-key-0123456789', 'sk-another-key-9876543210-x'] as const;

async function recordTwice(plans: readonly Plan[], root: string): Promise<[string, string]> {
  let n = 0;
  const closed: Promise<void>[] = [];
  const service = await startUpstream(async (req, res) => {
    const plan = plans[n];
    n += 1;
    closed.push(new Promise((done) => void res.on('close', done)));
    await requestBodyOf(req);
    if (plan !== undefined) await sendResponse(res, plan);
  });
  const first = join(root, 'a');
  const second = join(root, 'b');
  const live = await startRecorder({ baseUrl: service.url, cassette: first });
  const seen: Buffer[] = [];
  for (const plan of plans) {
    seen.push(await sendRequest(live.url, plan, KEYS[0]));
    // The next exchange begins only when this one has ended on all sides.
    await closed.at(-1);
  }
  await live.close();
  await service.close();

  const replayer = await startReplayer({ cassettes: [first], strict: true });
  const recorder = await startRecorder({ baseUrl: replayer.url, cassette: second });
  for (const [i, plan] of plans.entries())
    expect(await sendRequest(recorder.url, plan, KEYS[1])).toEqual(seen[i]);
  await recorder.close();
  expect((await replayer.close()).failed).toBe(false);
  const readLines = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
  return [readLines(first), readLines(second)];
}

test('traffic that is recorded, replayed and recorded again is the same byte for byte, however it ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryPlan, { minLength: 1, maxLength: 4 }), async (plans) => {
      const root = mkdtempSync(join(tmpdir(), 'assay-round-'));
      try {
        const [first, second] = await recordTwice(plans, root);
        expect(second).toBe(first);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: propertyRuns(40) },
  );
});
