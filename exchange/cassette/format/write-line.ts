import type { HeaderPairs } from '../../exchange.ts';
import type { LineBuffer } from '../write/line-buffer.ts';
import type { JournalEvent, JournalLine } from './lines.ts';

/** A line of an exchange without the body that is written into it. */
export type LineWithoutBody = WithoutBody<JournalEvent>;
/** A line without the members that hold a body. */
type WithoutBody<E> = E extends unknown ? Omit<E, 'text' | 'base64' | 'blob' | 'digest' | 'parts'> : never;

/**
 * Adds a line as JSON.stringify writes it, with its body as the last member. Lines of exchanges are many and much alike:
 * they are put together of what is there as bytes.
 */
export function writeLine(
  to: LineBuffer,
  line: JournalLine | LineWithoutBody,
  body: Uint8Array | null,
): void {
  // Where the body stands elsewhere, the line says where.
  if (line.e === 'header' || line.e === 'note' || line.e === 'secret' || 'blob' in line || 'digest' in line)
    to.json(line);
  else {
    to.put(I);
    to.number(line.i);
    writeMembers(to, line);
    if (body !== null) to.body(body);
    to.put(BRACE);
  }
  to.put(LF);
}

/** Writes the members of an event in the order of the format. */
function writeMembers(to: LineBuffer, event: LineWithoutBody): void {
  switch (event.e) {
    case 'request':
      to.put(REQUEST).number(event.after);
      to.put(BEGAN).number(event.began);
      orNull(to.put(SCENARIO), event.scenario);
      orNull(to.put(PROBE), event.probe);
      to.put(METHOD).put(texts.of(event.method));
      to.put(TARGET).put(texts.of(event.target));
      fields(to.put(HEADERS), event.headers);
      orNull(to.put(BOUNDARY), event.boundary);
      return;
    case 'request-body':
      to.put(REQUEST_BODY).number(event.size);
      return;
    case 'response':
      to.put(RESPONSE).number(event.status);
      to.put(REASON).put(texts.of(event.reason));
      fields(to.put(HEADERS), event.headers);
      return;
    case 'piece':
      to.put(PIECE).number(event.at);
      to.put(SIZE).number(event.size);
      return;
    case 'response-body':
      to.put(RESPONSE_BODY).number(event.size);
      pieces(to.put(PIECES), event.pieces);
      return;
    case 'end':
      to.put(END).number(event.ended);
      to.put(HOW).put(texts.of(event.how));
      orNull(to.put(DETAIL), event.detail);
      to.put(AT).number(event.at);
      fields(to.put(TRAILERS), event.trailers);
  }
}

/** Writes a value as JSON, or `null`. */
function orNull(to: LineBuffer, value: object | string | null): void {
  if (value === null) to.put(NULL);
  else to.json(value);
}

/** Writes header fields as an array of pairs. */
function fields(to: LineBuffer, headers: HeaderPairs): void {
  to.put(OPEN);
  for (let i = 0; i < headers.length; i += 1) {
    if (i > 0) to.put(COMMA);
    to.put(pairs.of(headers[i] ?? NONE));
  }
  to.put(CLOSE);
}

/** Writes offsets and arrival times as an array of pairs. */
function pieces(to: LineBuffer, all: readonly (readonly [number, number])[]): void {
  to.put(OPEN);
  for (let i = 0; i < all.length; i += 1) {
    const [offset = 0, at = 0] = all[i] ?? [];
    to.put(i > 0 ? NEXT_PIECE : OPEN).number(offset);
    to.put(COMMA).number(at);
    to.put(CLOSE);
  }
  to.put(CLOSE);
}

/** The JSON of values that come again and again, as bytes. */
class Known<T extends string | HeaderPairs[number]> {
  readonly #bytes = new Map<T, Uint8Array>();

  /** The JSON of a value, from the cache where it is known. */
  of(value: T): Uint8Array {
    const known = this.#bytes.get(value);
    if (known !== undefined) return known;
    const bytes = Buffer.from(JSON.stringify(value) ?? 'null');
    if (bytes.length > LONGEST) return bytes;
    if (this.#bytes.size >= MOST) this.#bytes.clear();
    this.#bytes.set(value, bytes);
    return bytes;
  }
}

/** Most cached values, and the longest that is cached (in characters). */
const MOST = 1_000;
const LONGEST = 500;
const texts = new Known<string>();
/** By the very pair: the redactor gives the same one for the same field. */
const pairs = new Known<HeaderPairs[number]>();
const NONE: HeaderPairs[number] = ['', ''];

/** The constant parts of the lines. */
const I = Buffer.from('{"i":');
const REQUEST = Buffer.from(',"e":"request","after":');
const BEGAN = Buffer.from(',"began":');
const SCENARIO = Buffer.from(',"scenario":');
const PROBE = Buffer.from(',"probe":');
const METHOD = Buffer.from(',"method":');
const TARGET = Buffer.from(',"target":');
const HEADERS = Buffer.from(',"headers":');
const BOUNDARY = Buffer.from(',"boundary":');
const REQUEST_BODY = Buffer.from(',"e":"request-body","size":');
const RESPONSE = Buffer.from(',"e":"response","status":');
const REASON = Buffer.from(',"reason":');
const PIECE = Buffer.from(',"e":"piece","at":');
const SIZE = Buffer.from(',"size":');
const RESPONSE_BODY = Buffer.from(',"e":"response-body","size":');
const PIECES = Buffer.from(',"pieces":');
const END = Buffer.from(',"e":"end","ended":');
const HOW = Buffer.from(',"how":');
const DETAIL = Buffer.from(',"detail":');
const AT = Buffer.from(',"at":');
const TRAILERS = Buffer.from(',"trailers":');
const NULL = Buffer.from('null');
/** Punctuation of JSON. */
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const NEXT_PIECE = Buffer.from(',[');
const COMMA = Buffer.from(',');
const BRACE = Buffer.from('}');
const LF = Buffer.from('\n');
