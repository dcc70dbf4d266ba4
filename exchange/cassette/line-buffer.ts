import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
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
    this.#reserve(json.length * 3 + 32);
    if (body === null) {
      this.#put(json);
      this.#put('\n');
      return;
    }
    this.#put(json.slice(0, -1));
    if (isUtf8(body)) {
      this.#put(',"text":"');
      this.#escape(body);
    } else {
      const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
      this.#reserve(base64.length + 32);
      this.#put(`,"base64":"${base64}`);
    }
    this.#put('"}\n');
  }

  #put(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** As JSON.stringify writes a string; the bytes are valid UTF-8. */
  #escape(body: Uint8Array): void {
    this.#reserve(body.length * 6 + 32);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let i = 0; i < body.length; i += 1) {
      const byte = body[i] ?? 0;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) {
        bytes[to] = byte;
        to += 1;
        continue;
      }
      bytes[to] = BACKSLASH;
      const letter = SHORT[byte] ?? 0;
      if (letter !== 0) {
        bytes[to + 1] = letter;
        to += 2;
        continue;
      }
      bytes.write('u00', to + 1, 'latin1');
      bytes[to + 4] = HEX[byte >> 4] ?? 0;
      bytes[to + 5] = HEX[byte & 15] ?? 0;
      to += 6;
    }
    this.#length = to;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
