import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineBuffer } from './line-buffer.ts';

test('a line reads as if JSON.stringify had written it with its body', () => {
  const lines = new LineBuffer();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, value) => {
      const body = Buffer.from(text);
      lines.clear();
      lines.add({ value }, body);
      expect(lines.waiting.toString()).toBe(`${JSON.stringify({ value, text: body.toString() })}\n`);
    }),
    { numRuns: 200 },
  );
});

test('bytes that are not text go into base64, and no body leaves the line as it is', () => {
  const lines = new LineBuffer();
  lines.add({ a: 1 }, Buffer.from([0xff, 0]));
  lines.add({ a: 'é' }, null);
  expect(lines.waiting.toString()).toBe('{"a":1,"base64":"/wA="}\n{"a":"é"}\n');
});

test('the buffer grows with what is put in', () => {
  const lines = new LineBuffer();
  const body = Buffer.alloc(50_000, '\n');
  for (let i = 0; i < 5; i += 1) lines.add({}, body);
  expect(lines.waiting.length).toBe(5 * (100_000 + '{,"text":""}\n'.length));
});
