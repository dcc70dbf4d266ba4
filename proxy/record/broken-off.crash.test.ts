import { createHash } from 'node:crypto';
import { request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deferred } from '../testing/deferred.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';

const fixture = createRecordFixture();

interface Break {
  readonly who: 'client sending' | 'client receiving' | 'upstream answering';
  readonly at: number;
  readonly size: number;
  readonly hasLength: boolean;
}

const breakPlan: fc.Arbitrary<Break> = fc
  .record({
    who: fc.constantFrom<Break['who'][]>('client sending', 'client receiving', 'upstream answering'),
    size: fc.oneof(fc.integer({ min: 3, max: 300 }), fc.integer({ min: 3, max: 300_000 })),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    hasLength: fc.boolean(),
  })
  .map(({ share, size, ...plan }) => ({ ...plan, size, at: 1 + Math.floor(share * (size - 3)) }));

/** Bytes without repetition, so that the test notices missing or repeated ones. */
const createContent = (size: number) => {
  const pieces: Buffer[] = [];
  for (let n = 0; n * 32 < size; n += 1) pieces.push(createHash('sha256').update(`${n}`).digest());
  return Buffer.concat(pieces).subarray(0, size);
};

let arrived = deferred();

function sendBroken(url: string, plan: Break): Promise<Buffer> {
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    const done = () => resolve(Buffer.concat(seen));
    const outgoing = request(`${url}/x`, { method: 'POST', agent: false });
    outgoing.on('error', () => {}).on('close', done);
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => {});
      incoming.on('data', (piece: Buffer) => {
        seen.push(piece);
        if (plan.who === 'client receiving' && Buffer.concat(seen).length >= plan.at) outgoing.destroy();
      });
    });
    if (plan.who !== 'client sending') outgoing.end('{}');
    else {
      outgoing.setHeader('Content-Length', plan.size);
      outgoing.write(createContent(plan.size).subarray(0, plan.at));
      // A request that is destroyed earlier would lose what is still in a buffer.
      void arrived.promise.then(() => outgoing.destroy());
    }
  });
}

test('if either side disconnects at any byte, the recording contains what had passed, and how it ended', async () => {
  let current: Break | undefined;
  let over = deferred();
  const recorder = await fixture.start(async (req, res) => {
    const plan = current;
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
    if (plan.hasLength) res.setHeader('Content-Length', plan.size);
    if (plan.who === 'client receiving') {
      res.write(createContent(plan.size).subarray(0, plan.at + 1));
      return;
    }
    res.write(createContent(plan.size).subarray(0, plan.at), () => res.socket?.resetAndDestroy());
  });
  const all: { plan: Break; seen: Buffer }[] = [];
  await fc.assert(
    fc.asyncProperty(breakPlan, async (plan) => {
      current = plan;
      over = deferred();
      arrived = deferred();
      all.push({ plan, seen: await sendBroken(recorder.url, plan) });
      await over.promise;
    }),
    { numRuns: 40 },
  );
  // A trace lists exchanges in the order in which they ended, and an exchange may end after the next has begun.
  const exchanges = (await fixture.readExchanges()).toSorted(
    (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
  );
  expect(exchanges).toHaveLength(all.length);
  for (const [i, { plan, seen }] of all.entries()) {
    const { request: sent, response, end } = exchanges[i] ?? {};
    const recorded = Buffer.from(response?.body.bytes ?? []);
    expect(end?.how, JSON.stringify(plan)).toBe(
      plan.who === 'upstream answering' ? 'upstream-reset' : 'client-abort',
    );
    expect(recorded.equals(createContent(plan.size).subarray(0, recorded.length))).toBe(true);
    if (plan.who === 'client sending') {
      const bytes = Buffer.from(sent?.body.bytes ?? []);
      expect(bytes.equals(createContent(plan.size).subarray(0, plan.at)), JSON.stringify(plan)).toBe(true);
    } else expect(recorded.subarray(0, seen.length).equals(seen), JSON.stringify(plan)).toBe(true);
  }
});
