import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { makeAlias } from './alias.ts';
import { Redactor } from './redactor.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (content: Uint8Array) => new TextDecoder().decode(content);
const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = decode(makeAlias(1, encode(SECRET)));

const secret = fc
  .tuple(
    fc.string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'abcXYZ019-_.+/=') }),
    fc.nat(999),
  )
  .map(([body, n]) => `${body}${n}Q`);
const unusualSecret = fc
  .string({
    minLength: 12,
    maxLength: 24,
    unit: fc.constantFrom('a', 'Z', '"', '\\', '/', '%', '\n', 'é', '😀'),
  })
  .map((body) => `${body}7q`);
const surroundingText = fc.string({ maxLength: 30 });

function redact(redactor: Redactor, content: Uint8Array, cuts: readonly number[]): Uint8Array {
  return filterPieces(redactor.createBodyFilter(), content, cuts);
}

const cuts = fc.array(fc.nat(400), { maxLength: 6 });
const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');

const spellings: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'percent-encoded where needed': (secret) => encodeURIComponent(secret),
  'percent-encoded throughout': (secret) => [...secret].map((c) => `%${hex(c)}`).join(''),
  'JSON-escaped throughout': (secret) => [...secret].map((c) => `\\u00${hex(c)}`).join(''),
  'with escaped slashes': (secret) => secret.replaceAll('/', '\\/'),
};

describe.each(Object.entries(spellings))('a secret (%s)', (_, spell) => {
  test('is replaced at the same length, however the stream is split', () => {
    fc.assert(
      fc.property(secret, surroundingText, surroundingText, cuts, (value, before, after, at) => {
        const content = encode(`${before} ${spell(value)} ${after}`);
        const redacted = redact(new Redactor({ secrets: [value] }), content, at);
        const alias = decode(makeAlias(1, encode(value)));
        expect(decode(redacted)).toBe(
          `${before} ${spell(value).length === value.length ? alias : respell(spell, value, alias)} ${after}`,
        );
        expect(redacted.length).toBe(content.length);
      }),
    );
  });
});

function respell(spell: (secret: string) => string, value: string, alias: string): string {
  return [...value]
    .map((character, i) => {
      const spelled = spell(character);
      const substitute = alias[i] ?? '';
      if (spelled.length === 1) return substitute;
      if (spelled.length === 2) return `\\${substitute}`;
      return spelled.startsWith('%') ? `%${hex(substitute)}` : `\\u00${hex(substitute)}`;
    })
    .join('');
}

test('a secret with unusual characters is replaced at the same length, plain, in JSON or percent-encoded', () => {
  fc.assert(
    fc.property(unusualSecret, surroundingText, cuts, (value, before, at) => {
      const redactor = new Redactor({ secrets: [value] });
      for (const spelled of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
        const content = encode(`${before} ${spelled}|`);
        const redacted = redact(redactor, content, at);
        expect(redacted.length).toBe(content.length);
        expect(decode(redacted)).not.toContain(spelled);
      }
    }),
  );
});

test('a secret in base64 is replaced by its alias, in every alignment and both alphabets', () => {
  fc.assert(
    fc.property(
      secret,
      fc.uint8Array({ maxLength: 9 }),
      surroundingText,
      cuts,
      fc.boolean(),
      (value, before, after, at, url) => {
        const plain = Buffer.concat([before, encode(value), encode(after)]);
        const encoding = url ? 'base64url' : 'base64';
        const redacted = redact(new Redactor({ secrets: [value] }), encode(plain.toString(encoding)), at);
        const alias = makeAlias(1, encode(value));
        expect(Buffer.from(decode(redacted), encoding)).toEqual(
          Buffer.concat([before, alias, encode(after)]),
        );
      },
    ),
  );
});

test('bytes without a secret pass unchanged, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (content, at) => {
      expect(redact(new Redactor({ secrets: [SECRET] }), content, at)).toEqual(Buffer.from(content));
    }),
  );
});

test('only what may be the beginning of a secret is held back', () => {
  const stream = new Redactor({ secrets: ['SK-0123456789'] }).createBodyFilter();
  expect(decode(stream.push(encode('hello ~SK-01')))).toBe('hello ~');
  expect(decode(stream.push(encode('2x ~')))).toBe('SK-012x ~');
  expect(decode(stream.push(encode('SK-01')))).toBe('');
  expect(decode(stream.push(encode('23456789')))).toBe('redacted_1_xx');
});

test('the input is never modified', () => {
  const content = Buffer.from(`a ${SECRET} b`);
  const redactor = new Redactor({ secrets: [SECRET] });
  expect(decode(redactor.redactBytes(content))).toBe(`a ${ALIAS} b`);
  for (const filter of [redactor.createBodyFilter(), redactor.createStreamFilter()])
    expect(filterPieces(filter, content).toString()).toBe(`a ${ALIAS} b`);
  expect(content.toString()).toBe(`a ${SECRET} b`);
});
