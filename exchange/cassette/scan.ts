import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { isObject } from '../../schemas/json.ts';
import { formatNumber, plural } from '../../schemas/message-text.ts';
import {
  digestHalves,
  type Fingerprint,
  Fingerprints,
  fingerprintWithBody,
} from '../matching/fingerprint.ts';
import { CassetteError, damageError } from './cassette-error.ts';
import { type FileLine, type LineSource, linesOf, tryParseLine } from './line-reader.ts';
import { isCloseLine, isHeader, responseLine } from './line-shape.ts';
import { type CloseLine, FORMAT_VERSION, type HeaderLine, type ResponseLine } from './lines.ts';
import { readSpan } from './span-reader.ts';

/** Beginning of a request line; the format fixes the order of members. */
const REQUEST = /^\{"e":"request","i":(\d+),"after":(\d+),"ended":(\d+),"key":"([0-9a-f]{16})"/;
const NOTE = /^\{"e":"note","after":(\d+)/;
const [LETTER_B, LETTER_D, LETTER_N, LETTER_Q, LETTER_R, LETTER_S, BRACE] = Buffer.from('bdnqrs{');
const COMMA = 0x2c;
/** Offsets of the letters that tell lines apart: `{"e":"Body`, `"Note`, `"reQuest`, `"reSponse`, `"eND`. */
const FIRST = 6;
const SECOND = 7;
const THIRD = 8;
/** Offset of the letter that distinguishes `{"e":"end","how":"Recorder-killed` from other endings. */
const HOW = 18;

export interface ScanOptions {
  /** Also builds the index that makes replay fast. */
  readonly replay?: boolean;
}

export interface CassetteFile {
  /** Path for error messages; nothing is read from it. */
  readonly file: string;
  /** An open file descriptor, or the whole content. */
  readonly source: LineSource;
}

export function scanCassette(cassette: CassetteFile, options: ScanOptions = {}): CassetteIndex {
  const { file, source } = cassette;
  const closing = readClosingLine(cassette);
  const index = new CassetteIndex(file, closing, firstHeader(cassette), options);
  const hash = createHash('sha256');
  let n = 0;
  let bytesSeen = 0;
  const onChunk = (bytes: Buffer) => {
    if (bytesSeen < closing.offset)
      hash.update(bytes.subarray(0, Math.min(bytes.length, closing.offset - bytesSeen)));
    bytesSeen += bytes.length;
  };
  for (const line of linesOf(source, onChunk)) {
    n += 1;
    if (line.offset < closing.offset) index.add(line, n);
  }
  index.finish();
  if (hash.digest('hex') === closing.line.sha256) return index;
  throw damageError('checksum', `${file} was changed after it was recorded: its checksum does not match`);
}

interface ClosingLine {
  readonly line: CloseLine;
  readonly offset: number;
}

const TAIL_BYTES = 4096;

function readClosingLine(cassette: CassetteFile): ClosingLine {
  const { source } = cassette;
  const size = typeof source === 'number' ? fstatSync(source).size : source.length;
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = readSpan(source, from, size - from);
  const at = tail.lastIndexOf('\n', tail.length - 2) + 1;
  const text = tail.subarray(at).toString();
  const isWhole = text.startsWith('{"e":"close"') && text.endsWith('\n');
  const line = isWhole ? tryParseLine(tail.subarray(at)) : undefined;
  if (!isCloseLine(line)) throw missingCloseError(cassette);
  return { line, offset: from + at };
}

function missingCloseError(cassette: CassetteFile): CassetteError {
  const { file, source } = cassette;
  let n = 0;
  for (const { bytes } of linesOf(source)) {
    n += 1;
    if (isConflict(bytes)) return conflictError(file, n);
  }
  try {
    firstHeader(cassette);
  } catch (error) {
    if (error instanceof CassetteError && error.kind === 'version') return error;
  }
  if (n === 0) return damageError('torn', `${file} is empty`);
  return damageError('torn', `${file}:${n} is not the closing line of a cassette: the file is cut short`);
}

function isConflict(bytes: Buffer): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})/.test(bytes.toString('latin1', 0, 7));
}

function conflictError(file: string, n: number): CassetteError {
  const message = `${file}:${n} is a merge conflict marker. Cassettes cannot be merged: take one side, or record again.`;
  return new CassetteError('conflict', message);
}

function firstHeader({ file, source }: CassetteFile): HeaderLine {
  const [first] = linesOf(source);
  const value = first && tryParseLine(first.bytes);
  const header = isObject(value) && value['e'] === 'header' ? value : null;
  if (header?.['format'] !== undefined && header['format'] !== FORMAT_VERSION) {
    const found = JSON.stringify(header['format']);
    throw new CassetteError(
      'version',
      `${file}:1 is of format ${found}; this version reads format ${FORMAT_VERSION}. Use the version of assay that recorded it, or a newer one.`,
    );
  }
  if (isHeader(header)) return header;
  throw damageError('malformed', `${file}:1 is not the header of a cassette`);
}

/** The positions of everything in a cassette, found in one pass. Number arrays have one entry per exchange. */
export class CassetteIndex {
  /** First line; its base URL lacks the port of a target on this machine. */
  readonly header: HeaderLine;
  readonly exchanges: number;
  readonly offsets: Float64Array;
  /** Bytes of all lines of each exchange, line feeds included. */
  readonly lengths: Float64Array;
  readonly after: Uint32Array;
  /** For each exchange, its position in the order in which they ended, from 1. */
  readonly ended: Uint32Array;
  /** Match keys of sixteen latin1 bytes each. */
  readonly keys: Buffer;
  /** 1 for an exchange during which the recorder was killed. */
  readonly killed: Uint8Array;
  /** Null unless the cassette was opened for replay. */
  readonly replay: ReplayIndex | null;
  /** Position of each note, without its line feed, and how many exchanges had ended before it. */
  readonly noteSpans: (readonly [offset: number, length: number, after: number])[] = [];
  readonly #file: string;
  readonly #closing: ClosingLine;
  #count = 0;
  #isInExchange = false;

  constructor(file: string, closing: ClosingLine, header: HeaderLine, options: ScanOptions) {
    const { exchanges } = closing.line;
    // A stated number that a file of this size cannot hold is not allocated.
    const count = exchanges <= closing.offset / 50 ? exchanges : 0;
    this.header = header;
    this.exchanges = count;
    this.offsets = new Float64Array(count);
    this.lengths = new Float64Array(count);
    this.after = new Uint32Array(count);
    this.ended = new Uint32Array(count);
    this.keys = Buffer.alloc(count * 16);
    this.killed = new Uint8Array(count);
    this.replay = options.replay ? new ReplayIndex(count, header.betaHeader) : null;
    this.#file = file;
    this.#closing = closing;
  }

  /**
   * Adds the n-th line, from 1, and ignores the header. Throws CassetteError unless the line begins with `{`, and for
   * an invalid request or note.
   */
  add({ bytes, offset }: FileLine, n: number): void {
    if (n === 1) return;
    if (bytes[0] !== BRACE) {
      if (isConflict(bytes)) throw conflictError(this.#file, n);
      throw damageError('malformed', `${this.#file}:${n} is not a line of a cassette`);
    }
    if (bytes[THIRD] === LETTER_Q) this.#addRequest(bytes, offset, n);
    else if (bytes[FIRST] === LETTER_N) this.#addNote(bytes, offset, n);
    else if (bytes[HOW] === LETTER_R && bytes[SECOND] === LETTER_N) this.killed[this.#count - 1] = 1;
    if (this.#isInExchange) this.replay?.add(this.#count - 1, bytes, offset);
  }

  /** Throws CassetteError if the closing line states other counts. */
  finish(): void {
    this.#endExchange(this.#closing.offset);
    const { exchanges, notes } = this.#closing.line;
    if (this.#count === exchanges && this.noteSpans.length === notes) return;
    const found = `${plural(this.#count, 'exchange')} and ${plural(this.noteSpans.length, 'note')}`;
    throw damageError(
      'malformed',
      `${this.#file} has ${found}, but its closing line states ${formatNumber(exchanges)} and ${formatNumber(notes)}`,
    );
  }

  #addRequest(bytes: Buffer, offset: number, n: number): void {
    const [, i, after, ended, key] = REQUEST.exec(bytes.toString('latin1', 0, 120)) ?? [];
    this.#endExchange(offset);
    const k = this.#count;
    if (key === undefined || Number(i) !== k + 1 || k >= this.exchanges)
      throw damageError(
        'malformed',
        `${this.#file}:${n} is not the request of exchange ${k + 1}, which is expected there`,
      );
    this.offsets[k] = offset;
    this.after[k] = Number(after);
    this.ended[k] = Number(ended);
    this.keys.write(key, k * 16, 'latin1');
    this.#count += 1;
    this.#isInExchange = true;
  }

  #addNote(bytes: Buffer, offset: number, n: number): void {
    const [, after] = NOTE.exec(bytes.toString('latin1', 0, 60)) ?? [];
    if (after === undefined) throw damageError('malformed', `${this.#file}:${n} is not a note`);
    this.#endExchange(offset);
    this.noteSpans.push([offset, bytes.length, Number(after)]);
  }

  #endExchange(offset: number): void {
    if (this.#isInExchange) this.lengths[this.#count - 1] = offset - (this.offsets[this.#count - 1] ?? 0);
    this.#isInExchange = false;
  }
}

/** Offset of the letter that distinguishes the bodies: `{"e":"body","of":"reQuest`. */
const OF = 20;

/** The fingerprint covers a request line from this member on. */
const METHOD = ',"method":';
const REQUEST_SIZE_OFFSET = '{"e":"body","of":"request","size":'.length;
const RESPONSE_SIZE_OFFSET = '{"e":"body","of":"response","size":'.length;
const DIGEST_PREFIX_LENGTH = ',"sha256":"'.length;
/** Offset, counted from the digest, of the letter that distinguishes `"digest":true` from other forms of a body. */
const FORM = 64 + '","'.length;

const NO_FINGERPRINT: Fingerprint = [0, 0];

interface ResponseLocation {
  readonly head: ResponseLine;
  readonly offset: number;
  readonly size: number;
}

/** Maximum number of distinct response heads in the index; most responses share a head with others. */
const MAX_HEADS = 1_000;
const JSON_FOLLOWS = Buffer.from('","json":');
const COMPLETE = Buffer.from('{"e":"end","how":"complete"}');
const NUMBERS_PER_RESPONSE = 3;

/**
 * A simple response is complete, without trailers, and its body is empty or stored as JSON byte for byte, so that it
 * can be sent directly from the file. `k`: index of an exchange, from 0.
 */
class ReplayIndex {
  readonly #fingerprints: Fingerprints;
  /** Two numbers for each request; both are 0 if it has no fingerprint. */
  readonly #halves: Uint32Array;
  readonly #heads: ResponseLine[] = [];
  readonly #headNumbers = new Map<string, number>();
  /** Three numbers per response: index of its head plus one (0 if it is not simple), offset and size of its body. */
  readonly #places: Float64Array;

  constructor(count: number, betaHeader: string) {
    this.#fingerprints = new Fingerprints(betaHeader);
    this.#halves = new Uint32Array(count * 2);
    this.#places = new Float64Array(NUMBERS_PER_RESPONSE * count);
  }

  add(k: number, line: Buffer, offset: number): void {
    if (line[FIRST] === LETTER_B) {
      if (line[OF] === LETTER_Q) this.#addRequestBody(k, line);
      else this.#addResponseBody(k, line, offset);
    } else if (line[THIRD] === LETTER_Q) {
      const text = line.toString();
      const fingerprint = this.#fingerprints.computeFromLine(text.slice(text.indexOf(METHOD) + 1));
      this.#halves.set(fingerprint ?? NO_FINGERPRINT, 2 * k);
    } else if (line[THIRD] === LETTER_S) this.#addResponse(k, line);
    else if (line[THIRD] === LETTER_D && !line.equals(COMPLETE)) this.#places[NUMBERS_PER_RESPONSE * k] = 0;
  }

  fingerprint(k: number): Fingerprint | null {
    const [high, low] = [this.#halves[2 * k] ?? 0, this.#halves[2 * k + 1] ?? 0];
    return high === 0 && low === 0 ? null : [high, low];
  }

  response(k: number): ResponseLocation | null {
    const at = NUMBERS_PER_RESPONSE * k;
    const head = this.#heads[(this.#places[at] ?? 0) - 1];
    if (head === undefined) return null;
    return { head, offset: this.#places[at + 1] ?? 0, size: this.#places[at + 2] ?? 0 };
  }

  #addRequestBody(k: number, line: Buffer): void {
    const head = this.fingerprint(k);
    if (head === null) return;
    const at = line.indexOf(COMMA, REQUEST_SIZE_OFFSET) + DIGEST_PREFIX_LENGTH;
    const isDigest = line[at + FORM] === LETTER_D;
    const digest = digestHalves(line.toString('latin1', at, at + 16));
    this.#halves.set(isDigest ? NO_FINGERPRINT : fingerprintWithBody(head, digest), 2 * k);
  }

  #addResponse(k: number, line: Buffer): void {
    const text = line.toString();
    let number = this.#headNumbers.get(text);
    if (number === undefined) {
      if (this.#heads.length === MAX_HEADS) return;
      const head = responseLine(line);
      // An invalid line is reported when its exchange is read.
      if (head === null) return;
      number = this.#heads.push(head);
      this.#headNumbers.set(text, number);
    }
    this.#places[NUMBERS_PER_RESPONSE * k] = number;
  }

  #addResponseBody(k: number, line: Buffer, offset: number): void {
    const comma = line.indexOf(COMMA, RESPONSE_SIZE_OFFSET);
    const size = Number(line.toString('latin1', RESPONSE_SIZE_OFFSET, comma));
    const json = comma + DIGEST_PREFIX_LENGTH + 64;
    const from = json + JSON_FOLLOWS.length;
    const isPlain = line.length === from + size + 1 && line.subarray(json, from).equals(JSON_FOLLOWS);
    if (!isPlain) this.#places[NUMBERS_PER_RESPONSE * k] = 0;
    this.#places[NUMBERS_PER_RESPONSE * k + 1] = offset + from;
    this.#places[NUMBERS_PER_RESPONSE * k + 2] = size;
  }
}
