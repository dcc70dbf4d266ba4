import { isUtf8 } from 'node:buffer';
import { asUint32, indexOfEscaped, SHORT_ESCAPES } from '../format/ascii-scan.ts';
import { MAX_NUMBER_BYTES, writeNumber } from '../format/write-number.ts';

const TEXT = Buffer.from(',"text":"');
const BASE64 = Buffer.from(',"base64":"');
const QUOTE = Buffer.from('"');
const BACKSLASH = 0x5c;
const HEX = Buffer.from('0123456789abcdef');
/** From so many bytes on, to copy them together costs less than one by one. */
const LONG = 32;

/** Lines on their way to a file, written straight into bytes: bodies are many, and need not become strings. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** Bytes that are not flushed yet. Valid until the next line. */
  get waiting(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets the content; the memory is used again. */
  clear(): void {
    this.#length = 0;
  }

  /** Adds bytes as they are. */
  put(bytes: Uint8Array): this {
    const { length } = bytes;
    this.#reserve(length);
    const to = this.#bytes;
    if (length > LONG) to.set(bytes, this.#length);
    else for (let at = 0; at < length; at += 1) to[this.#length + at] = bytes[at] ?? 0;
    this.#length += length;
    return this;
  }

  /** Adds a value as JSON.stringify writes it. */
  json(value: unknown): void {
    const json = JSON.stringify(value);
    this.#reserve(json.length * 3);
    this.#write(json);
  }

  /** The same for a number, without a string being made of it. */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES);
    const end = writeNumber(this.#bytes, this.#length, value);
    if (end === -1) this.json(value);
    else this.#length = end;
  }

  /** Adds a member that holds a body: `text` where it is text, else `base64`. */
  body(body: Uint8Array): void {
    if (isUtf8(body)) {
      this.#reserve(body.length * 6 + 32);
      this.put(TEXT);
      this.#escape(body);
    } else {
      const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
      this.put(BASE64);
      this.#reserve(base64.length);
      this.#write(base64);
    }
    this.put(QUOTE);
  }

  /** Writes an ASCII text. */
  #write(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** As JSON.stringify writes a string; the bytes are valid UTF-8. */
  #escape(body: Uint8Array): void {
    const words = asUint32(body);
    let at = 0;
    while (at < body.length) {
      const from = at;
      at = indexOfEscaped(body, words, from);
      this.#copy(body, from, at);
      if (at === body.length) break;
      this.#escaped(body[at] ?? 0);
      at += 1;
    }
  }

  /** Copies bytes that need no escape. */
  #copy(body: Uint8Array, from: number, until: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    if (until - from > LONG) bytes.set(body.subarray(from, until), to);
    else for (let at = from; at < until; at += 1) bytes[to + at - from] = body[at] ?? 0;
    this.#length = to + until - from;
  }

  /** Writes one byte as a JSON escape. */
  #escaped(byte: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    bytes[to] = BACKSLASH;
    const letter = SHORT_ESCAPES[byte] ?? 0;
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

  /** Enlarges the buffer for further bytes. */
  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
