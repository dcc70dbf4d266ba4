import { getOrMake } from '../../schemas/maps.ts';
import { beginningLength, bufferOn } from '../http/bytes.ts';
import type { ByteFilter } from './byte-filter.ts';
import { jsonPathName } from './json-path-name.ts';
import { jsonStrings } from './json-strings.ts';
import type { Replacer } from './replacer.ts';
import { JoinedText } from './spelled-text.ts';

const MARK = Buffer.from('"logprobs"');
const MAX_GAP_BYTES = 1024;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Maximum depth of a list that is searched: the cost of a text grows with its depth. The specification needs six. */
const MAX_DEPTH = 64;
const MAX_TEXTS = 10_000;
const TOO_LARGE =
  'Log probabilities were too large or too deep: secrets in some of their tokens are not replaced.';
const EMPTY = new Uint8Array(0);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));

/**
 * Replaces secrets in `logprobs` values, whose tokens may split a secret or list its bytes. Each value is held back
 * until it is complete, too large or too deep.
 */
export class TokenListFilter implements ByteFilter {
  readonly #replacer: Replacer;
  readonly #remark: (message: string) => void;
  #held: Uint8Array = EMPTY;
  #list: OpenList | null = null;

  constructor(replacer: Replacer, remark: (message: string) => void) {
    this.#replacer = replacer;
    this.#remark = remark;
  }

  push(piece: Uint8Array): Uint8Array {
    const output: Uint8Array[] = [];
    for (let rest: Uint8Array | null = piece; rest !== null; )
      rest = this.#list === null ? this.#search(rest, output) : this.#read(this.#list, rest, output);
    return output.length === 1 ? (output[0] ?? EMPTY) : Buffer.concat(output);
  }

  finish(): Uint8Array {
    const rest = this.#list === null ? this.#held : this.#redact(this.#list);
    this.#held = EMPTY;
    this.#list = null;
    return rest;
  }

  #search(piece: Uint8Array, output: Uint8Array[]): Uint8Array | null {
    const bytes = this.#held.length === 0 ? bufferOn(piece) : Buffer.concat([this.#held, piece]);
    this.#held = EMPTY;
    for (let from = 0; ; ) {
      const at = bytes.indexOf(MARK, from);
      if (at === -1) {
        const end = bytes.length - beginningLength(bytes, MARK);
        this.#held = new Uint8Array(bytes.subarray(end));
        output.push(bytes.subarray(0, end));
        return null;
      }
      const after = at + MARK.length;
      const [gap = ''] = /^[\s:]*/.exec(bytes.toString('latin1', after, after + MAX_GAP_BYTES)) ?? [];
      const opening = bytes[after + gap.length];
      if (opening === undefined) {
        this.#held = new Uint8Array(bytes.subarray(at));
        output.push(bytes.subarray(0, at));
        return null;
      }
      from = after + gap.length;
      if (!OPENING.has(opening)) continue;
      output.push(bytes.subarray(0, from));
      this.#list = new OpenList();
      return bytes.subarray(from);
    }
  }

  #read(list: OpenList, piece: Uint8Array, output: Uint8Array[]): Uint8Array | null {
    const end = list.add(piece);
    const isSearched = list.size <= MAX_LIST_BYTES && !list.isTooDeep;
    if (end === null && isSearched) return null;
    this.#list = null;
    if (!isSearched) this.#remark(TOO_LARGE);
    output.push(isSearched ? this.#redact(list) : list.bytes());
    return end === null || end === piece.length ? null : piece.subarray(end);
  }

  #redact(list: OpenList): Uint8Array {
    const bytes = list.bytes();
    const texts = new Map<string, JoinedText>();
    let isFullySearched = true;
    for (const string of jsonStrings(bytes)) {
      const name = jsonPathName(['logprobs', ...string.path], null);
      if (texts.has(name) || texts.size < MAX_TEXTS)
        getOrMake(texts, name, () => new JoinedText()).add(string);
      else isFullySearched = false;
    }
    if (!isFullySearched) this.#remark(TOO_LARGE);
    for (const text of texts.values()) text.rewrite(this.#replacer.replace(text.bytes), bytes);
    return bytes;
  }
}

class OpenList {
  readonly #pieces: Uint8Array[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  size = 0;
  isTooDeep = false;

  /** Returns the length of the part of the piece that ends the list; null if the list continues. */
  add(piece: Uint8Array): number | null {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (OPENING.has(byte)) {
        this.#depth += 1;
        this.isTooDeep ||= this.#depth > MAX_DEPTH;
      } else if (CLOSING.has(byte)) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          this.#keep(piece.subarray(0, at + 1));
          return at + 1;
        }
      }
    }
    this.#keep(piece);
    return null;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  #keep(piece: Uint8Array): void {
    // The piece is copied, because the pieces of a file share one buffer.
    this.#pieces.push(new Uint8Array(piece));
    this.size += piece.length;
  }
}
