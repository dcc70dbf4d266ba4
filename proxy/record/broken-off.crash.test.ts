import { createHash } from 'node:crypto';
import { request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordFixture } from '../testing/record-fixture.ts';
import { deferred, requestBodyOf } from '../testing/upstream.ts';

const bench = recordFixture();

/** Which side disconnects, and after how many bytes of the request or response. */
interface Break {
  readonly who: 'client sending' | 'client receiving' | 'upstream answering';
  /** At least one byte, and fewer than `size`. */
  readonly at: number;
  readonly size: number;
  readonly known: boolean;
}

const broken: fc.Arbitrary<Break> = fc
  .record({
    who: fc.constantFrom<Break['who'][]>('client sending', 'client receiving', 'upstream answering'),
    size: fc.oneof(fc.integer({ min: 3, max: 300 }), fc.integer({ min: 3, max: 300_000 })),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    known: fc.boolean(),
  })
  .map(({ share, size, ...rest }) => ({ ...rest, size, at: 1 + Math.floor(share * (size - 3)) }));

/** Bytes that never repeat, so that missing or repeated ones are noticed. */
const content = (size: number) => {
  const pieces: Buffer[] = [];
  for (let n = 0; n * 32 < size; n += 1) pieces.push(createHash('sha256').update(`${n}`).digest());
  return Buffer.concat(pieces).subarray(0, size);
};

/** Sends a request and returns the response as far as it arrived, once its side of the connection is closed. */
function ask(url: string, one: Break): Promise<Buffer> {
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    const done = () => resolve(Buffer.concat(seen));
    const outgoing = request(`${url}/x`, { method: 'POST', agent: false });
    outgoing.on('error', () => {}).on('close', done);
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => {});
      incoming.on('data', (piece: Buffer) => {
        seen.push(piece);
        if (one.who === 'client receiving' && Buffer.concat(seen).length >= one.at) outgoing.destroy();
      });
    });
    if (one.who !== 'client sending') outgoing.end('{}');
    else {
      outgoing.setHeader('Content-Length', one.size);
      outgoing.write(content(one.size).subarray(0, one.at));
      outgoing.flushHeaders();
      // The service reports when it has received everything: until then, data may still be in a buffer.
      void arrived.promise.then(() => outgoing.destroy());
    }
  });
}

let arrived = deferred();

test('if either side disconnects at any byte, the recording has what had passed and how it ended', async () => {
  let one: Break | undefined;
  let over = deferred();
  const recorder = await bench.start(async (req, res) => {
    const plan = one;
    const ended = over;
    req.on('error', () => {});
    res.on('close', () => ended.resolve());
    if (plan === undefined) return;
    if (plan.who === 'client sending') {
      let size = 0;
      req.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size >= plan.at) arrived.resolve();
      });
      return;
    }
    await requestBodyOf(req);
    if (plan.known) res.setHeader('Content-Length', plan.size);
    if (plan.who === 'client receiving') {
      res.write(content(plan.size).subarray(0, plan.at + 1));
      return;
    }
    res.write(content(plan.size).subarray(0, plan.at), () => res.socket?.resetAndDestroy());
  });
  const all: { plan: Break; seen: Buffer }[] = [];
  await fc.assert(
    fc.asyncProperty(broken, async (plan) => {
      one = plan;
      over = deferred();
      arrived = deferred();
      all.push({ plan, seen: await ask(recorder.url, plan) });
      await over.promise;
    }),
    { numRuns: 40 },
  );
  // A cassette has its exchanges in the order in which they ended; one may end after the next has begun.
  const exchanges = (await bench.readExchanges()).toSorted(
    (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
  );
  expect(exchanges).toHaveLength(all.length);
  for (const [i, { plan, seen }] of all.entries()) {
    const { request: sent, response, end } = exchanges[i] ?? {};
    const got = Buffer.from(response?.body.bytes ?? []);
    expect(end?.how, JSON.stringify(plan)).toBe(
      plan.who === 'upstream answering' ? 'upstream-reset' : 'client-abort',
    );
    expect(got.equals(content(plan.size).subarray(0, got.length))).toBe(true);
    if (plan.who === 'client sending') {
      const bytes = Buffer.from(sent?.body.bytes ?? []);
      expect(bytes.equals(content(plan.size).subarray(0, plan.at)), JSON.stringify(plan)).toBe(true);
    } else expect(got.subarray(0, seen.length).equals(seen) || isRefusal(seen)).toBe(true);
  }
});

/** The recorder itself responds to a reset before the head. */
function isRefusal(seen: Buffer): boolean {
  return seen.toString().includes('upstream_unreachable');
}
