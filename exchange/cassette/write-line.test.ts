import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineBuffer, type LineWithoutBody, writeLine } from './journal.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 });
const count = fc.nat();
const time = fc.oneof(
  fc.double(),
  fc.nat(9_999_999).map((thousandths) => thousandths / 1000),
  fc.maxSafeNat().map((thousandths) => thousandths / 1000),
  fc.maxSafeNat(),
);
const headers = fc.array(fc.tuple(text, text), { maxLength: 4 });
const maybe = fc.option(text);
const how = fc.constantFrom('complete', 'client-abort', 'upstream-reset');

/** The fields in the order in which a recording writes them. */
const events: fc.Arbitrary<LineWithoutBody> = fc.oneof(
  fc.record({
    ...{ i: count, e: fc.constant('request' as const), after: count, began: time, scenario: maybe },
    probe: fc.constant(null),
    ...{ method: text, target: text, headers, boundary: maybe },
  }),
  fc.record({ i: count, e: fc.constant('request-body' as const), size: count }),
  fc.record({ i: count, e: fc.constant('request-body' as const), size: count, digest: text }),
  fc.record({ i: count, e: fc.constant('response' as const), status: count, reason: text, headers }),
  fc.record({ i: count, e: fc.constant('piece' as const), at: time, size: count }),
  fc.record({
    ...{ i: count, e: fc.constant('response-body' as const), size: count },
    pieces: fc.array(fc.tuple(count, time), { maxLength: 3 }),
  }),
  fc.record({
    ...{ i: count, e: fc.constant('end' as const), ended: count, how, detail: maybe, at: time },
    trailers: headers,
  }),
);

test('lines of exchanges are as JSON.stringify writes them', () => {
  const lines = new LineBuffer();
  fc.assert(
    fc.property(events, fc.option(text), (event, body) => {
      lines.clear();
      const isBody = event.e.endsWith('body') && !('digest' in event) && body !== null;
      writeLine(lines, event, isBody ? Buffer.from(body) : null);
      const whole = { ...event, ...(isBody && { text: Buffer.from(body).toString() }) };
      expect(lines.waiting.toString()).toBe(`${JSON.stringify(whole)}\n`);
    }),
    { numRuns: 3_000 },
  );
});
