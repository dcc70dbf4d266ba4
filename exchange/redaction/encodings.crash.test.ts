import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodings, ENCODINGS } from '../testing/encodings.ts';
import { filterPieces } from '../testing/pieces.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ<&>09';
const secrets = fc
  .string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'abkXYZ019-_.+/=<&>"') })
  .map((text) => `${text}7qB`);
/** Cases per encoding. Most of the time is spent on building the patterns of each new secret. */
const RUNS = 8;
const latin1 = (text: string) => Buffer.from(text, 'latin1');

function redact(secret: string, content: Uint8Array, cuts: readonly number[] = []): Buffer {
  return filterPieces(new Redactor({ secrets: [secret] }).createBodyFilter(), content, cuts);
}

describe.each(Object.entries(ENCODINGS))('a secret in %s', (_, encode) => {
  test('is replaced at the same length, however the body is split', () => {
    fc.assert(
      fc.property(secrets, fc.array(fc.nat(300), { maxLength: 4 }), (secret, cuts) => {
        const content = latin1(`{"a":"${encode(secret)}"}`);
        const output = redact(secret, content, cuts);
        expect(output.length).toBe(content.length);
        expect(output.equals(content)).toBe(false);
        const secretCore = secret.slice(1, -1).toLowerCase();
        for (const text of decodings(output)) expect(text.toLowerCase()).not.toContain(secretCore);
      }),
      { numRuns: RUNS },
    );
  });

  test('is readable in the decodings of the unredacted body', () => {
    const texts = decodings(latin1(`{"a":"${encode(SECRET)}"}`));
    const secretCore = SECRET.slice(1, -1).toLowerCase();
    expect(texts.some((text) => text.toLowerCase().includes(secretCore))).toBe(true);
  });

  test('is found by a scan of unredacted content', () => {
    expect(new Redactor({ secrets: [SECRET] }).find(latin1(`{"a":"${encode(SECRET)}"}`))).not.toBe(-1);
  });
});

test('two secrets that differ only in case keep their own aliases', () => {
  const redactor = new Redactor({ secrets: ['sk-abcdef-0123', 'sk-ABCDEF-0123'] });
  expect(redactor.redactText('sk-ABCDEF-0123 sk-abcdef-0123 sk-ABCDEF-0123 Sk-abcdef-0123')).toBe(
    'redacted_1_xxx redacted_2_xxx redacted_1_xxx redacted_2_xxx',
  );
});

test('entities keep their length, and decode to the alias with underscores where its letters do not fit', () => {
  const text = [...'sk-abcdef-0123'].map((character) => `&#${character.charCodeAt(0)};`).join('');
  const output = redact('sk-abcdef-0123', Buffer.from(text)).toString();
  const decoded = output.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  // A two-digit code has no room for a letter whose code has three digits.
  expect(decoded).toBe('re_ac_ed_1____');
  expect(output.length).toBe(text.length);
});
