import { isUtf8 } from 'node:buffer';

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const HEX = Buffer.from('0123456789abcdef');
/** Letter of the short escape of a byte, 0 where it has none. */
const SHORT = new Uint8Array(256);
for (const [byte, letter] of Object.entries({
  8: 'b',
  9: 't',
  10: 'n',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
})) {
  SHORT[Number(byte)] = letter.charCodeAt(0);
}
/** 1 for each byte that is written otherwise than it is. */
const SPECIAL = SHORT.map((letter, byte) => (letter !== 0 || byte < SPACE ? 1 : 0));
/** From so many bytes on, to copy them together costs less than one by one. */
const LONG = 32;

/** Lines on their way to a file, written straight into bytes: bodies are many, and need not become strings. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** What waits. Valid until the next line. */
  get waiting(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Adds a line; with a body, that becomes its last member: `text` where it is text, else `base64`. */
  add(line: object, body: Uint8Array | null): void {
    const json = JSON.stringify(line);
    if (body === null) {
      this.#reserve(json.length * 3 + 1);
      this.#put(`${json}\n`);
      return;
    }
    const lead = json.slice(0, -1);
    if (isUtf8(body)) {
      this.#reserve(json.length * 3 + body.length * 6 + 32);
      this.#put(`${lead},"text":"`);
      this.#escape(body);
    } else {
      const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
      this.#reserve(json.length * 3 + base64.length + 32);
      this.#put(`${lead},"base64":"${base64}`);
    }
    this.#put('"}\n');
  }

  #put(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** As JSON.stringify writes a string; the bytes are valid UTF-8. */
  #escape(body: Uint8Array): void {
    let at = 0;
    while (at < body.length) {
      const from = at;
      at = plainUntil(body, from);
      this.#copy(body, from, at);
      if (at === body.length) break;
      this.#escaped(body[at] ?? 0);
      at += 1;
    }
  }

  #copy(body: Uint8Array, from: number, until: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    if (until - from > LONG) bytes.set(body.subarray(from, until), to);
    else for (let at = from; at < until; at += 1) bytes[to + at - from] = body[at] ?? 0;
    this.#length = to + until - from;
  }

  #escaped(byte: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    bytes[to] = BACKSLASH;
    const letter = SHORT[byte] ?? 0;
    if (letter !== 0) {
      bytes[to + 1] = letter;
      this.#length = to + 2;
      return;
    }
    bytes.write('u00', to + 1, 'latin1');
    bytes[to + 4] = HEX[byte >> 4] ?? 0;
    bytes[to + 5] = HEX[byte & 15] ?? 0;
    this.#length = to + 6;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Where the first byte stands that is not written as it is; four at a time, for most are. */
function plainUntil(body: Uint8Array, from: number): number {
  let at = from;
  for (; at + 4 <= body.length; at += 4) {
    const [a, b, c, d] = [body[at], body[at + 1], body[at + 2], body[at + 3]];
    if (
      ((SPECIAL[a ?? 0] ?? 0) | (SPECIAL[b ?? 0] ?? 0) | (SPECIAL[c ?? 0] ?? 0) | (SPECIAL[d ?? 0] ?? 0)) !==
      0
    )
      break;
  }
  while (at < body.length && SPECIAL[body[at] ?? 0] === 0) at += 1;
  return at;
}
