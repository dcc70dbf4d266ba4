import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBytes } from '../testing/pieces.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import type { FormDataPart } from './body.ts';
import { MAX_FORM_PARTS, parseFormData } from './form-data.ts';
import { FormDataReader } from './form-data-reader.ts';

const part = fc.record({
  name: fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', '_') }),
  filename: fc.option(fc.constantFrom('x.png', 'é.txt')),
  content: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom('\r\n', '\r\n--', '\r\n--bound', '--boundary', '\r').map((text) => Buffer.from(text)),
  ),
});

function encode(parts: readonly { name: string; filename: string | null; content: Uint8Array }[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, filename, content }) => [
      Buffer.from(
        `--boundary\r\nContent-Disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n`,
      ),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--boundary--\r\n'),
  ]);
}

function describePart({ body, ...head }: FormDataPart) {
  return { ...head, size: body.size, sha256: body.sha256 };
}

test('a streamed form has the same parts as a whole one, however it is split', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(fc.nat(400), { maxLength: 6 }), (parts, cuts) => {
      const bytes = encode(parts);
      const reader = new FormDataReader('boundary');
      for (const piece of cutBytes(bytes, cuts)) reader.push(piece);
      const expected = parseFormData(bytes, 'boundary')?.map(describePart);
      expect(expected).toHaveLength(parts.length);
      expect(reader.finish()?.map(describePart)).toEqual(expected);
    }),
    { numRuns: propertyRuns(400) },
  );
});

test('a form with more parts than the limit is malformed, streamed or whole', () => {
  const readBothWays = (count: number) => {
    const field = { name: 'a', filename: null, content: Buffer.from('a') };
    const bytes = encode(Array.from({ length: count }, () => field));
    const reader = new FormDataReader('boundary');
    reader.push(bytes);
    return [reader.finish(), parseFormData(bytes, 'boundary')].map((parts) => parts?.length ?? null);
  };
  expect(readBothWays(MAX_FORM_PARTS)).toEqual([MAX_FORM_PARTS, MAX_FORM_PARTS]);
  expect(readBothWays(MAX_FORM_PARTS + 1)).toEqual([null, null]);
});

test.each(['', 'x', '--boundary', '--boundaryx', '--boundary\r\nno end', 'preamble\r\n--boundary--'])(
  '%j, a malformed or unfinished form, has null instead of parts',
  (text) => {
    const reader = new FormDataReader('boundary');
    reader.push(Buffer.from(text));
    expect(reader.finish()).toBeNull();
  },
);
