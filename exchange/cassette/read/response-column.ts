import { responseLine } from '../format/line-shape.ts';
import type { ResponseLine } from '../format/lines.ts';

/** Where an answer is. */
export interface ResponseLocation {
  /** Response line. */
  readonly head: ResponseLine;
  /** Of the body, in the file. */
  readonly offset: number;
  /** Bytes of the body. */
  readonly size: number;
}

/** Most different response heads that are remembered: most responses begin alike. */
const MOST = 1_000;
const BODY = '{"e":"body","of":"response","size":';
const SHA256 = ',"sha256":"'.length + 64;
const JSON_FOLLOWS = Buffer.from('","json":');
const COMPLETE = Buffer.from('{"e":"end","how":"complete"}');
const BRACE = '}'.length;
/** Numbers for each answer. */
const WIDTH = 3;

/**
 * Where the plain answers of a cassette are: complete ones without trailers, whose body is JSON that stands in its line byte
 * for byte, or empty. Such a body goes out as it stands, neither read nor written again.
 */
export class ResponseColumn {
  readonly #heads: ResponseLine[] = [];
  readonly #known = new Map<string, number>();
  /**
   * Of each answer, side by side for they are read together: the number of its head and one, or 0 where it is not plain;
   * where its body begins; its size.
   */
  readonly #places: Float64Array;

  constructor(count: number) {
    this.#places = new Float64Array(WIDTH * count);
  }

  /** Adds the response line of the k-th exchange. */
  response(k: number, line: Buffer): void {
    const text = line.toString();
    let number = this.#known.get(text);
    if (number === undefined) {
      if (this.#heads.length === MOST) return;
      const head = responseLine(text);
      // Reading the exchange says what is wrong with it.
      if (head === null) return;
      number = this.#heads.push(head);
      this.#known.set(text, number);
    }
    this.#places[WIDTH * k] = number;
  }

  /** `offset`: where the line begins in the file. */
  body(k: number, line: Buffer, offset: number): void {
    const digits = line.indexOf(',', BODY.length);
    const size = Number(line.toString('latin1', BODY.length, digits));
    const from = digits + SHA256 + JSON_FOLLOWS.length;
    const isPlain = line.length === from + size + BRACE && follows(line, digits + SHA256, JSON_FOLLOWS);
    if (!isPlain) this.#places[WIDTH * k] = 0;
    this.#places[WIDTH * k + 1] = offset + from;
    this.#places[WIDTH * k + 2] = size;
  }

  /** Adds its end line. */
  end(k: number, line: Buffer): void {
    if (!line.equals(COMPLETE)) this.#places[WIDTH * k] = 0;
  }

  /** Null where the answer is not plain, and where there are too many different ones. */
  at(k: number): ResponseLocation | null {
    const at = WIDTH * k;
    const head = this.#heads[(this.#places[at] ?? 0) - 1];
    if (head === undefined) return null;
    return { head, offset: this.#places[at + 1] ?? 0, size: this.#places[at + 2] ?? 0 };
  }
}

/** Whether a text follows at an offset of a line. */
function follows(line: Buffer, at: number, text: Buffer): boolean {
  return line.compare(text, 0, text.length, at, at + text.length) === 0;
}
