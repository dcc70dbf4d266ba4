import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EndingKind, HeaderPairs } from '../exchange.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { openCassette } from './cassette.ts';
import { createCassette } from './cassette-writer.ts';
import type { RecordedResponse } from './parse-exchange.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-answer-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const body = fc.oneof(
  fc.json(),
  fc.json().map((json) => JSON.stringify(JSON.parse(json), null, 2)),
  fc.json().map((json) => `${json}\n`),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '{"e":"response","__proto__":1}', '\n{"e":"response",', 'x'.repeat(9_000)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

const call = fc.record({
  sentBody: body,
  hasResponse: fc.boolean(),
  type: fc.constantFrom('application/json', 'text/event-stream', 'text/plain'),
  pieces: fc.array(body, { maxLength: 3 }),
  hasTrailers: fc.boolean(),
  how: fc.constantFrom<EndingKind>('complete', 'client-abort', 'upstream-reset'),
});

const withBase64Body = ({ id, response, end }: RecordedResponse) => ({
  id,
  end,
  response: response && { ...response, body: Buffer.from(response.body.bytes ?? []).toString('base64') },
});

test('`answer` returns the response of an exchange as `exchange` does, whatever it contains', async () => {
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (calls, hasTiming) => {
        n += 1;
        const dir = join(root, `${n}`);
        const writer = createCassette(dir, traceHeader(), { collect: false });
        for (const { sentBody, hasResponse, type, pieces, hasTrailers, how } of calls) {
          const headers: HeaderPairs = [
            ['Content-Type', type],
            ['Date', 'now'],
            ['X-Request-Id', 'r'],
          ];
          const recording = writer.begin({ method: 'POST', target: '/v1/x', headers });
          recording.requestBody(Buffer.from(sentBody));
          if (hasResponse) {
            recording.response({ status: 200, reason: 'OK', headers });
            for (const piece of pieces) recording.piece(Buffer.from(piece, 'latin1'));
          }
          await recording.end({
            how,
            detail: 'why',
            ...(hasTrailers && {
              trailers: [
                ['Age', '1'],
                ['Via', 'x'],
              ],
            }),
          });
        }
        writer.finish();
        if (!hasTiming) rmSync(join(dir, 'timing.jsonl'));
        const cassette = await openCassette(dir, { replay: true });
        expect(cassette.size).toBe(calls.length);
        for (let k = 0; k < cassette.size; k += 1) {
          expect(withBase64Body(cassette.answer(k))).toEqual(withBase64Body(cassette.exchange(k)));
        }
        cassette.close();
      },
    ),
    { numRuns: propertyRuns(60) },
  );
});
