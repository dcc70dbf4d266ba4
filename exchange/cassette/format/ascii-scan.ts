/** Letter of the short escape of a byte in JSON, 0 where it has none. */
export const SHORT_ESCAPES = new Uint8Array(256);
for (const [byte, letter] of Object.entries({
  8: 'b',
  9: 't',
  10: 'n',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
})) {
  SHORT_ESCAPES[Number(byte)] = letter.charCodeAt(0);
}
/** First ASCII character that JSON writes without an escape. */
const SPACE = 0x20;
/** 1 for each byte that JSON writes otherwise than it is. */
const SPECIAL = SHORT_ESCAPES.map((letter, byte) => (letter !== 0 || byte < SPACE ? 1 : 0));

/** Result for a text without such characters. */
const NONE = new Int32Array(0);

/** The bytes once more, four in each number, from the first one on that a number can begin with. */
export function asUint32(bytes: Uint8Array): Int32Array {
  const first = -bytes.byteOffset & 3;
  if (bytes.length < first) return NONE;
  return new Int32Array(bytes.buffer, bytes.byteOffset + first, (bytes.length - first) >> 2);
}

/** Where the first byte stands that JSON does not write as it is; `words` are those of these bytes. */
export function indexOfEscaped(bytes: Uint8Array, words: Int32Array, from: number): number {
  const first = words.byteOffset - bytes.byteOffset;
  let at = from;
  for (const until = Math.min(bytes.length, at + ((first - at) & 3)); at < until; at += 1) {
    if (SPECIAL[bytes[at] ?? 0] !== 0) return at;
  }
  for (let i = (at - first) >> 2; i < words.length && isPlain(words[i] ?? 0); i += 1) at += 4;
  while (at < bytes.length && SPECIAL[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

/** Whether no byte of four is below a space, a quote or a backslash: subtracting would borrow from the bit above it. */
function isPlain(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const borrowed =
    ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
  return (borrowed & 0x80808080) === 0;
}
