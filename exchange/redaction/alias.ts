const encoder = new TextEncoder();

/** Fewer bytes than this are never searched for in bodies: too much ordinary text would be hit. */
export const MIN_SEARCHED_BYTES = 12;

/** Values that people type where a key is demanded but none is needed. */
const DUMMIES = new Set([
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

/** True when a value is searched for wherever it appears; others are masked only in the header that holds them. */
export function isSearchedInBodies(secret: string): boolean {
  if (encoder.encode(secret).length < MIN_SEARCHED_BYTES) return false;
  return !/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(secret) && !DUMMIES.has(secret.toLowerCase());
}

/**
 * The stand-in for the n-th secret: ASCII, as long in bytes as the secret. Where the secret has a character
 * that JSON writes as two, the alias has a slash, so that its escaped forms are equally long as well.
 */
export function aliasOf(ordinal: number, secret: Uint8Array): Uint8Array {
  const text = stem(ordinal, secret.length).padEnd(secret.length, 'x');
  const bytes = encoder.encode(text);
  secret.forEach((byte, i) => {
    if (hasShortEscape(byte)) bytes[i] = SLASH;
  });
  return bytes;
}

/** The mask of a header value that is not known to be safe: its length is kept, nothing else. */
export function maskOf(length: number): string {
  return stem(0, length).padEnd(length, 'x');
}

/** Matches what `alias` and `mask` make. */
export const ALIAS_PATTERN = /redacted_[\dx]*_?[x/]*/g;

/** A character that JSON can write as two: `/` or `\/`. */
const SLASH = 0x2f;

/** Bytes that JSON can write as a backslash and one letter. */
export function hasShortEscape(byte: number): boolean {
  return byte < 0x20 || byte === 0x22 || byte === 0x5c || byte === SLASH;
}

/** The longest beginning of an alias that fits into a length. */
function stem(ordinal: number, length: number): string {
  const candidates =
    ordinal === 0 ? ['redacted_', 'r'] : [`redacted_${ordinal}_`, `redacted_${ordinal}`, `r${ordinal}`];
  return candidates.find((candidate) => candidate.length <= length) ?? '';
}
