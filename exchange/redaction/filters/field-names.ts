import { inCases, isSame, PARTIAL_MATCH } from '../patterns/pattern.ts';

/** Words with which the name of a field ends that holds a secret. A `key` or a `token` alone may as well be a name or a word. */
export const SECRET_FIELDS = [
  ...spellings('api key', 'access key', 'private key', 'secret key', 'subscription key'),
  ...spellings('access token', 'auth token', 'bearer token', 'id token', 'refresh token', 'session token'),
  ...spellings('connection string'),
  ...['authorization', 'passphrase', 'passwd', 'password', 'secret'],
].map((name) => Buffer.from(name));

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Most bytes of a name, and fewest bytes of a name with the byte behind it. */
const LONGEST = Math.max(...SECRET_FIELDS.map(({ length }) => length));
const SHORTEST = Math.min(...SECRET_FIELDS.map(({ length }) => length)) + 1;

/** The names by their last letter, in lower case. */
const BY_LAST = new Map(
  SECRET_FIELDS.map((name) => [
    name.at(-1) ?? 0,
    SECRET_FIELDS.filter((other) => other.at(-1) === name.at(-1)),
  ]),
);
/** The names by their first letter, in either case. */
const BY_FIRST: readonly (readonly Buffer[])[] = Array.from({ length: 256 }, (_, byte) =>
  SECRET_FIELDS.filter((name) => isSame(byte, name[0] ?? 0, 'either')),
);

/** 1 for each byte that a name is made of. */
const OF_NAMES = new Uint8Array(256);
for (const byte of SECRET_FIELDS.flatMap((name) => [...name]))
  for (const one of inCases(byte, 'either')) OF_NAMES[one] = 1;

/**
 * By a pair of bytes: how many bytes after it a quoted name ends at the least, with the byte behind the name (Wu and Manber,
 * 1994). 0 for the pairs in which they end.
 */
const DISTANCE = new Uint8Array(65_536).fill(SHORTEST - 1);
for (const name of SECRET_FIELDS) {
  const letters = Array.from(name, (byte) => inCases(byte, 'either'));
  const places = [...letters, [QUOTE, BACKSLASH]].slice(-SHORTEST);
  for (const [i, seconds] of places.entries())
    for (const first of places[i - 1] ?? [])
      for (const second of seconds) {
        const pair = first * 256 + second;
        DISTANCE[pair] = Math.min(DISTANCE[pair] ?? 0, SHORTEST - 1 - i);
      }
}

const NONE: readonly number[] = [];

/** Where the names begin that a quote or a backslash follows. */
export function quotedNames(bytes: Uint8Array): readonly number[] {
  let found: number[] | null = null;
  for (let at = SHORTEST - 1; at < bytes.length; ) {
    const distance = DISTANCE[((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0)] ?? 0;
    if (distance > 0) {
      at += distance;
      continue;
    }
    const start = nameBefore(bytes, at);
    at += 1;
    if (start === -1) continue;
    found ??= [];
    found.push(start);
  }
  return found ?? NONE;
}

/** Where the name begins that ends before an offset; -1 where no name does. */
function nameBefore(bytes: Uint8Array, end: number): number {
  for (const name of BY_LAST.get((bytes[end - 1] ?? 0) | 0x20) ?? []) {
    const start = end - name.length;
    let i = name.length - 2;
    while (i >= 0 && isSame(bytes[start + i] ?? 0, name[i] ?? 0, 'either')) i -= 1;
    if (i < 0 && start >= 0) return start;
  }
  return -1;
}

/** Where the bytes end in a name, or in the beginning of one; -1 where they do not. */
export function beginningOfName(bytes: Uint8Array): number {
  const first = Math.max(0, bytes.length - LONGEST);
  let from = bytes.length;
  while (from > first && OF_NAMES[bytes[from - 1] ?? 0] === 1) from -= 1;
  for (let at = from; at < bytes.length; at += 1)
    for (const name of BY_FIRST[bytes[at] ?? 0] ?? []) {
      const end = nameEnd(bytes, at, name);
      if (end === PARTIAL_MATCH || end === bytes.length) return at;
    }
  return -1;
}

/** `api key` as `apikey`, `api_key` and `api-key`. */
function spellings(...names: readonly string[]): string[] {
  return names.flatMap((name) => ['', '_', '-'].map((between) => name.replace(' ', between)));
}

/** Where a name ends that stands here, in any case; null where it does not. */
export function nameEnd(
  bytes: Uint8Array,
  at: number,
  name: Uint8Array,
): number | typeof PARTIAL_MATCH | null {
  for (let i = 0; i < name.length; i += 1) {
    const byte = bytes[at + i];
    if (byte === undefined) return PARTIAL_MATCH;
    if (!isSame(byte, name[i] ?? 0, 'either')) return null;
  }
  return at + name.length;
}
