import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { NO_MATCH, type Pattern } from './pattern.ts';
import { comparePatterns, Replacer } from './replacer.ts';
import { Secret } from './secret-store.ts';

const encoder = new TextEncoder();

function replaceSlowly(patterns: readonly Pattern[], input: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(input);
  const longestFirst = patterns.toSorted(comparePatterns);
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const endOf = (pattern: Pattern) =>
      at - pattern.lead < from || !begins(pattern, bytes, at) ? NO_MATCH : pattern.match(bytes, at, 'final');
    const found = longestFirst.find((pattern) => endOf(pattern) !== NO_MATCH);
    if (found === undefined) continue;
    from = endOf(found);
    found.replace(bytes, at);
    at = from - 1;
  }
  return bytes;
}

function begins(pattern: Pattern, bytes: Uint8Array, at: number): boolean {
  return pattern.begins.includes((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
}

const value = fc.string({
  minLength: 12,
  maxLength: 40,
  unit: fc.constantFrom(...'abkXYZ019-_.+/="\\%\n', 'é', '€', '😀'),
});
const spell = (text: string) =>
  fc
    .array(fc.constantFrom(spellPlain, spellPercent, spellEscapes, spellJson), { minLength: 1, maxLength: 5 })
    .map((spellers) =>
      [...text].map((character, k) => (spellers[k % spellers.length] ?? spellPlain)(character)).join(''),
    );
const spellPlain = (character: string) => character;
const spellPercent = (character: string) =>
  Array.from(encoder.encode(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const spellEscapes = (character: string) =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).toUpperCase().padStart(4, '0')}`,
  ).join('');
const spellJson = (character: string) => JSON.stringify(character).slice(1, -1);

const encode = (text: string) =>
  fc
    .tuple(fc.nat(2), fc.constantFrom('base64', 'base64url'))
    .map(([shift, alphabet]) =>
      Buffer.from(`${'~'.repeat(shift)}${text}~`).toString(alphabet as 'base64' | 'base64url'),
    );

const texts = fc.array(value, { minLength: 1, maxLength: 3 }).chain((secrets) => {
  const spelledSecret = fc
    .constantFrom(...secrets)
    .chain((secret) => fc.oneof(spell(secret), encode(secret)));
  const part = fc
    .tuple(spelledSecret, fc.nat(60), fc.nat(60))
    .map(([text, from, to]) => text.slice(from, from + to));
  const piece = fc.oneof(spelledSecret, part, fc.string({ maxLength: 70 }), fc.constant('word '.repeat(20)));
  return fc.record({
    secrets: fc.constant(secrets),
    text: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  });
});

test.each(['shared', 'whole'] as const)(
  'the replacer replaces the same bytes as a search at every position (%s spellings)',
  (reach) => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(400), { maxLength: 4 }), ({ secrets, text }, cuts) => {
        let ordinal = 0;
        const numbered = [...new Set(secrets)].map((secret) => new Secret(secret, () => (ordinal += 1)));
        const patterns = numbered.flatMap((secret) => secret.spellings(reach));
        const replacer = new Replacer();
        for (const pattern of patterns) replacer.add(pattern);
        const input = encoder.encode(text);
        const expected = Buffer.from(replaceSlowly(patterns, input)).toString('latin1');
        expect(Buffer.from(replacer.replace(input)).toString('latin1')).toBe(expected);
        expect(filterPieces(replacer.stream(), input, cuts).toString('latin1')).toBe(expected);
      }),
      { numRuns: propertyRuns(500) },
    );
  },
);

test('a secret is replaced even if a second spelling may begin at the end of the piece in which it begins', () => {
  const replacer = new Replacer();
  const secret = new Secret('"\nZ="ZbX0b0=9b1Y"-%', () => 1);
  for (const pattern of secret.spellings('shared')) replacer.add(pattern);
  const stream = replacer.stream();
  // The first piece ends with `I`, which is also the first digit of the secret encoded without the `~` before it.
  const encoded = encoder.encode(Buffer.concat([Buffer.from('~'), secret.bytes]).toString('base64'));
  const output = [stream.push(encoded.subarray(0, 3)), stream.push(encoded.subarray(3)), stream.finish()];
  const read = Buffer.from(Buffer.concat(output).toString(), 'base64');
  expect(read.toString()).toBe(`~${Buffer.from(secret.alias)}`);
});
