import { type ByteFilter, filterWhole } from './byte-filter.ts';

/** Maximum length in bytes of the first line: two dashes and a boundary (RFC 2046, section 5.1.1). */
const MAX_FIRST_LINE_BYTES = 72;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const DASHES = Buffer.from('--');
const EMPTY = new Uint8Array(0);

/**
 * Passes the body of each part of a form through a filter of its own. The first line is the delimiter, whatever a
 * header names as the boundary; without a delimiter there, all bytes stay the same.
 */
export class FormPartsFilter implements ByteFilter {
  readonly #openFilter: () => ByteFilter;
  #delimiter: Buffer | null = null;
  #part: ByteFilter | null = null;
  #held: Uint8Array = EMPTY;
  #isForm = true;

  constructor(openFilter: () => ByteFilter) {
    this.#openFilter = openFilter;
  }

  push(piece: Uint8Array): Uint8Array {
    if (!this.#isForm) return piece;
    let bytes = Buffer.concat([this.#held, piece]);
    this.#held = EMPTY;
    const output: Uint8Array[] = [];
    if (this.#delimiter === null) {
      const end = bytes.indexOf(LINE_END);
      if (end === -1 && bytes.length < MAX_FIRST_LINE_BYTES + LINE_END.length) {
        this.#held = bytes;
        return EMPTY;
      }
      this.#isForm = end !== -1 && end <= MAX_FIRST_LINE_BYTES && bytes.subarray(0, 2).equals(DASHES);
      if (!this.#isForm) return bytes;
      this.#delimiter = Buffer.concat([LINE_END, bytes.subarray(0, end)]);
    }
    for (let at = 0; at !== -1; ) {
      const mark: Buffer = this.#part === null ? HEAD_END : this.#delimiter;
      at = bytes.indexOf(mark);
      const until = at === -1 ? Math.max(0, bytes.length - mark.length + 1) : at;
      const before = bytes.subarray(0, until);
      if (this.#part === null) output.push(before);
      else output.push(this.#part.push(before));
      if (at === -1) this.#held = bytes.subarray(until);
      else {
        if (this.#part !== null) output.push(this.#part.finish());
        output.push(mark);
        this.#part = this.#part === null ? this.#openFilter() : null;
        bytes = bytes.subarray(at + mark.length);
      }
    }
    return Buffer.concat(output);
  }

  finish(): Uint8Array {
    const rest = this.#held;
    this.#held = EMPTY;
    return this.#part === null ? rest : filterWhole(this.#part, rest);
  }
}
