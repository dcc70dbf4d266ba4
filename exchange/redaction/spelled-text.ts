const SLASH = 0x2f;
/** Flag in the width of a spelling: the byte is spelled as a decimal number. */
export const NUMBER_FLAG = 16;
/** Numbers by length (NUL, `X`, `x`), for a byte whose own number differs in length from the spelling to overwrite. */
const NUMBER_BY_LENGTH = ['', '0', '88', '120'];

/** A text, and how each of its bytes is spelled in a surrounding text. */
export interface SpelledText {
  readonly bytes: Uint8Array;
  /** Offset of the spelling of each byte. */
  readonly at: Uint32Array;
  /** Length of the spelling of each byte, plus NUMBER_FLAG for a decimal number; 0 if the previous one covers it. */
  readonly width: ArrayLike<number>;
}

/** Texts in sequence; changes of their bytes can be written back into their spellings. */
export class JoinedText {
  #bytes = new Uint8Array();
  /** As in `SpelledText`, but modulo 2 ** 32, because a stream may be longer. */
  #at = new Uint32Array();
  #width = new Uint8Array();
  #length = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  add({ bytes, at, width }: SpelledText, place = (offset: number) => offset): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) this.#grow(Math.max(length, 2 * this.#length));
    this.#bytes.set(bytes, this.#length);
    this.#width.set(width, this.#length);
    for (let i = 0; i < bytes.length; i += 1) this.#at[this.#length + i] = place(at[i] ?? 0);
    this.#length = length;
  }

  /** Overwrites the spellings of the bytes that `changed` changes. `base`: the offset of `target` in the whole text. */
  rewrite(changed: Uint8Array, target: Uint8Array, base = 0): void {
    for (let i = 0; i < changed.length; i += 1) {
      const at = ((this.#at[i] ?? 0) - base) >>> 0;
      if (changed[i] !== this.#bytes[i] && at < target.length)
        rewriteByte(target, at, this.#width[i] ?? 0, changed[i] ?? 0);
    }
  }

  drop(count: number): void {
    this.#length -= count;
    if (count === 0 || this.#length === 0) return;
    for (const array of [this.#bytes, this.#at, this.#width])
      array.copyWithin(0, count, count + this.#length);
  }

  #grow(size: number): void {
    const [bytes, at, width] = [new Uint8Array(size), new Uint32Array(size), new Uint8Array(size)];
    bytes.set(this.#bytes);
    at.set(this.#at);
    width.set(this.#width);
    [this.#bytes, this.#at, this.#width] = [bytes, at, width];
  }
}

export function plainString(text: Uint8Array, from = 0, end = text.length): SpelledText {
  const at = new Uint32Array(end - from);
  for (let i = 0; i < at.length; i += 1) at[i] = from + i;
  return { bytes: text.slice(from, end), at, width: new Uint8Array(end - from).fill(1) };
}

/** Overwrites a spelling with one of equal length: that of `byte`, or of another ASCII byte if `byte` has none. */
function rewriteByte(text: Uint8Array, at: number, width: number, byte: number): void {
  if (width === 1) text[at] = byte;
  else if (width === 2) text[at + 1] = SLASH;
  else if (width > NUMBER_FLAG) {
    const length = width - NUMBER_FLAG;
    const digits = String(byte);
    text.set(Buffer.from(digits.length === length ? digits : (NUMBER_BY_LENGTH[length] ?? '')), at);
  } else if (width >= 6) {
    for (let from = at; from < at + width; from += 6)
      text.set(Buffer.from(`00${byte.toString(16).padStart(2, '0')}`), from + 2);
  }
}
