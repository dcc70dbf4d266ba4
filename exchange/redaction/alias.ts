const encoder = new TextEncoder();
const SLASH = 0x2f;

/** Minimum size in bytes of a value that is searched for in bodies: shorter ones match too much ordinary text. */
export const MIN_SEARCHED_BYTES = 12;

/** Placeholders that people enter where a key is required but not used. */
const PLACEHOLDER_KEYS = new Set([
  'dummy-api-key',
  'fake-api-key',
  'no-key-required',
  'placeholder-key',
  'sk-no-key-required',
  'test-api-key',
  'your-api-key',
  'your-api-key-here',
  'your_api_key',
  'your_api_key_here',
]);

export function isSearchedInBodies(secret: string): boolean {
  if (encoder.encode(secret).length < MIN_SEARCHED_BYTES) return false;
  return !/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(secret) && !PLACEHOLDER_KEYS.has(secret.toLowerCase());
}

/**
 * The alias of the n-th secret: ASCII, with the same number of bytes. It has a slash wherever the secret has a byte for
 * which `hasShortEscape` is true, so that spellings escaped by JSON have equal lengths as well.
 */
export function makeAlias(ordinal: number, secret: Uint8Array): Uint8Array {
  const text = aliasStem(ordinal, secret.length).padEnd(secret.length, 'x');
  const bytes = encoder.encode(text);
  for (const [i, byte] of secret.entries()) if (hasShortEscape(byte)) bytes[i] = SLASH;
  return bytes;
}

export function makeMask(length: number): string {
  return aliasStem(0, length).padEnd(length, 'x');
}

export type AliasFactory = (value: string) => Uint8Array;

/** Matches a whole value that is a mask, an alias that begins with `redacted_`, or one without room for its number. */
export const REDACTED_VALUE = /^(?:redacted_[\dx_/]*|rx*|x+)$/;

/** Whether a value begins as an alias, in which some characters may be slashes. Shorter aliases match `SHORT_ALIAS`. */
export function beginsAsAlias(value: string): boolean {
  return /^(?=\/*[redact])[r/][e/][d/][a/][c/][t/][e/][d/][_/]/.test(value);
}

/** Matches a whole value that is an alias or a mask too short for `redacted_`; the shortest have no number. */
export const SHORT_ALIAS = /^(?:[r/][\d/]{0,3}[x/]{0,11}|[x/]{1,4})$/;

export const ALIAS_PATTERN = /redacted_[\dx]*_?[x/]*/g;

/** Whether JSON can write a byte as a backslash and one character; also true for all other control characters. */
export function hasShortEscape(byte: number): boolean {
  return byte < 0x20 || byte === 0x22 || byte === 0x5c || byte === SLASH;
}

function aliasStem(ordinal: number, length: number): string {
  const candidates =
    ordinal === 0 ? ['redacted_', 'r'] : [`redacted_${ordinal}_`, `redacted_${ordinal}`, `r${ordinal}`];
  return candidates.find((candidate) => candidate.length <= length) ?? '';
}
