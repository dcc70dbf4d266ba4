import { randomBytes } from 'node:crypto';
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';

test('a secret in a gzip file that no header declares is replaced at the same length, or its content is omitted', () => {
  fc.assert(
    fc.property(fc.lorem(), fc.array(fc.nat(300), { maxLength: 4 }), (words, cuts) => {
      const packed = gzipSync(`${words} ${SECRET} ${words}`);
      const redactor = new Redactor({ secrets: [SECRET] });
      const output = filterPieces(redactor.createBodyFilter(), packed, cuts);
      const redacted = `${words} redacted_1_xxxxx/xxx ${words}`;
      // A few redacted texts do not compress as well as those with the secret.
      const fits = gzipSync(redacted, { level: 9 }).length <= packed.length;
      expect(output.length).toBe(packed.length);
      expect(gunzipSync(output).toString()).toBe(fits ? redacted : '');
      expect(redactor.takeRemarks()).toHaveLength(fits ? 0 : 1);
    }),
  );
});

test('a gzip file without a secret, a damaged one, and data that only begins like one pass unchanged', () => {
  const redactor = new Redactor({ secrets: [SECRET] });
  const intact = gzipSync('nothing to see');
  for (const bytes of [
    intact,
    intact.subarray(0, 20),
    intact.subarray(0, 2),
    Buffer.from([0x1f, 0x8b, 7, 1]),
  ]) {
    expect(filterPieces(redactor.createBodyFilter(), bytes)).toEqual(Buffer.from(bytes));
  }
});

test('a secret in the name of a gzip file, or after its end, is replaced', () => {
  const packed = gzipSync('nothing to see');
  const flags = Buffer.from([0x08]);
  const named = Buffer.concat([
    packed.subarray(0, 3),
    flags,
    packed.subarray(4, 10),
    Buffer.from(`${SECRET}\0`),
    packed.subarray(10),
  ]);
  for (const bytes of [named, Buffer.concat([packed, Buffer.from(`\0${SECRET}`)])]) {
    const output = filterPieces(new Redactor({ secrets: [SECRET] }).createBodyFilter(), bytes);
    expect(output.toString('latin1')).toBe(bytes.toString('latin1').replace(SECRET, 'redacted_1_xxxxx/xxx'));
    expect(gunzipSync(output).toString()).toBe('nothing to see');
  }
});

test('content that cannot be compressed to the same length is omitted with a remark', () => {
  // Two equal halves that compress as one: redacting one of them makes the compressed form longer.
  const half = `${randomBytes(900).toString('base64')}${SECRET.slice(0, 9)}`;
  const content = Buffer.from(`${half}${SECRET.slice(9)}${half}${SECRET.slice(9, 12)}`);
  const packed = compressTightly(content);
  const redactor = new Redactor({ secrets: [SECRET] });
  const output = filterPieces(redactor.createBodyFilter(), packed);
  expect(output.length).toBe(packed.length);
  expect(gunzipSync(output).toString()).toBe('');
  expect(redactor.takeRemarks()).toEqual([
    expect.stringContaining('could not be compressed to the same length'),
  ]);
});

function compressTightly(content: Uint8Array): Buffer {
  const plain = gzipSync(content, { level: 9 });
  const raw = deflateRawSync(content, { level: 9, memLevel: 9 });
  return Buffer.concat([plain.subarray(0, 10), raw, plain.subarray(-8)]);
}
