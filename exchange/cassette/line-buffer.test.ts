import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineBuffer } from './journal.ts';

test('a line reads as if JSON.stringify had written it with its body', () => {
  const lines = new LineBuffer();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, value) => {
      const body = Buffer.from(text);
      lines.clear();
      lines.json(value);
      lines.body(body);
      expect(lines.waiting.toString()).toBe(
        `${JSON.stringify(value)},"text":${JSON.stringify(body.toString())}`,
      );
    }),
    { numRuns: 200 },
  );
});

test('bytes that are not text go into base64', () => {
  const lines = new LineBuffer();
  lines.body(Buffer.from([0xff, 0]));
  expect(lines.waiting.toString()).toBe(',"base64":"/wA="');
});

test('the buffer grows with what is put in', () => {
  const lines = new LineBuffer();
  const body = Buffer.alloc(50_000, '\n');
  for (let i = 0; i < 5; i += 1) lines.body(body);
  expect(lines.waiting.length).toBe(5 * (100_000 + ',"text":""'.length));
});

test('bytes are written alike wherever in memory they begin, and however long they are', () => {
  const lines = new LineBuffer();
  const memory = new Uint8Array(400);
  const near = fc.constantFrom(0, 9, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7e, 0x7f);
  const texts = fc.array(fc.oneof(near, fc.constant(0x61)), { maxLength: 300 });
  fc.assert(
    fc.property(texts, fc.nat(7), (bytes, from) => {
      memory.set(bytes, from);
      const body = memory.subarray(from, from + bytes.length);
      lines.clear();
      lines.body(body);
      expect(lines.waiting.toString()).toBe(`,"text":${JSON.stringify(Buffer.from(body).toString())}`);
    }),
    { numRuns: 1_000 },
  );
});
