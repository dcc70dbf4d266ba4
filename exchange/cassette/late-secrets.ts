import type { HeaderPairs } from '../exchange.ts';
import { contentCodings } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { withContentLength } from '../http/headers.ts';
import { isSearchedInBodies } from '../redaction/alias.ts';
import { type ByteFilter, DiffingFilter } from '../redaction/byte-filter.ts';
import { createSentBodyFilter } from '../redaction/compressed-body.ts';
import type { KnownSecrets, Redactor } from '../redaction/redactor.ts';
import type { BlobStore, Blobs } from './blobs.ts';
import { inlineBody, inlineBytes } from './body-encoding.ts';
import { CassetteError } from './cassette-error.ts';
import type { Journal } from './journal.ts';
import { beginsAsSecret } from './journal-reader.ts';
import {
  type BodyEvent,
  type EventOf,
  type JournalEvent,
  type JournalLine,
  MAX_INLINE_BINARY_BYTES,
  type Stored,
} from './lines.ts';
import { readNamedBlobs } from './named-blobs.ts';
import { secretDigests } from './secret-digest.ts';

export interface RecordedContent {
  readonly dir: string;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly openRecordings: readonly { refilter(streamOf: (i: number) => DiffingFilter | null): void }[];
}

export class LateSecrets {
  readonly #redactor: Redactor;
  readonly #content: RecordedContent;
  #learnedBeforeTraffic: number | null = null;
  /** `learnedCount` at the beginning of the last removal that completed. */
  #learnedBeforeRemoval = 0;
  /** Number of secrets that need no further search: known before the traffic, or already searched for. */
  #secretsSearched: number;
  #isSearching = false;

  constructor(redactor: Redactor, content: RecordedContent) {
    this.#redactor = redactor;
    this.#content = content;
    this.#secretsSearched = redactor.secrets.length;
  }

  /** Call when an exchange begins; secrets that are known at the first call are not late. */
  noteBegin(): void {
    this.#learnedBeforeTraffic ??= this.#redactor.learnedCount;
  }

  get hasLearned(): boolean {
    return this.#redactor.learnedCount > (this.#learnedBeforeTraffic ?? 0);
  }

  /**
   * Called before anything else is written, and so before the request that revealed a secret is forwarded. Secrets are
   * also found in compressed bodies and across the deltas of a stream. Until this is done, the journal keeps digests of
   * the secrets in case the process is killed. Does nothing once the journal is closed. Throws CassetteError if a write
   * fails; the next call tries again.
   */
  remove(): void {
    const { learnedCount: learned } = this.#redactor;
    if (learned === this.#learnedBeforeRemoval || this.#isSearching || this.#content.journal.isClosed) return;
    const { secrets } = this.#redactor;
    if (this.#learnedBeforeTraffic !== null && learned > this.#learnedBeforeTraffic) {
      this.#isSearching = true;
      try {
        this.#search(secrets.slice(this.#secretsSearched).filter(isSearchedInBodies));
      } finally {
        this.#isSearching = false;
      }
    }
    this.#learnedBeforeRemoval = learned;
    this.#secretsSearched = secrets.length;
  }

  #search(secrets: readonly string[]): void {
    const { journal, blobs, openRecordings } = this.#content;
    const { known } = this.#redactor;
    journal.flush();
    const { size } = journal;
    for (const secret of secrets) for (const line of secretDigests(secret)) journal.append(line);
    journal.flush();
    // A trial, because a journal without the secrets is not rewritten.
    let redaction = new LateRedaction(known, readOnlyBlobs(blobs));
    for (const _ of this.#redactJournal(redaction));
    const { isChanged } = redaction;
    if (isChanged) {
      redaction = new LateRedaction(known, blobs);
      journal.rewrite(this.#redactJournal(redaction));
      this.#removeReplaced(redaction);
    }
    for (const recording of openRecordings) recording.refilter((i) => redaction.streamOf(i));
    // If nothing was found, the digests are not needed either.
    if (!isChanged) journal.truncate(size);
  }

  *#redactJournal(redaction: LateRedaction): Generator<string> {
    const { journal } = this.#content;
    for (const { bytes } of journal.lines()) {
      if (beginsAsSecret(bytes)) continue;
      const line = parseOwnLine(bytes, journal.file);
      const lines = 'i' in line ? redaction.redactEvent(line) : [redaction.redactLine(line)];
      for (const redacted of lines) yield redacted === line ? bytes.toString() : JSON.stringify(redacted);
    }
    for (const head of redaction.waitingHeads()) yield JSON.stringify(head);
  }

  #removeReplaced({ replacements, namedBlobs }: LateRedaction): void {
    if (replacements.size === 0) return;
    const earlier = readNamedBlobs(this.#content.dir);
    this.#content.blobs.removeReplaced(replacements, (blob) => namedBlobs.has(blob) || earlier.has(blob));
  }
}

type RedactedBlobs = Pick<BlobStore, 'read' | 'pieces' | 'begin'>;

function readOnlyBlobs(blobs: Blobs): RedactedBlobs {
  return {
    read: (sha256, size) => blobs.read(sha256, size),
    pieces: (sha256, size) => blobs.pieces(sha256, size),
    begin: () => ({ write: () => {}, finish: () => '' }),
  };
}

function parseOwnLine(bytes: Buffer, file: string): JournalLine {
  try {
    return JSON.parse(bytes.toString()) as JournalLine; // as: assay wrote it
  } catch (error) {
    throw new CassetteError('malformed', `${file} was changed during the recording. Record again.`, error);
  }
}

interface ExchangeState {
  headers: HeaderPairs;
  /** The head of a compressed response, held back until the length of the body is known. */
  head: EventOf<'response'> | null;
  stream: DiffingFilter | null;
}

/** Bytes of an event stream that may begin a secret move to a later line. */
class LateRedaction {
  readonly #known: KnownSecrets;
  readonly #blobs: RedactedBlobs;
  readonly #open = new Map<number, ExchangeState>();
  #isChanged = false;
  readonly replacements = new Map<string, string>();
  readonly namedBlobs = new Set<string>();

  constructor(known: KnownSecrets, blobs: RedactedBlobs) {
    this.#known = known;
    this.#blobs = blobs;
  }

  get isChanged(): boolean {
    return this.#isChanged || [...this.#open.values()].some(({ stream }) => stream?.isChanged === true);
  }

  redactLine<T extends object>(line: T): T {
    const redacted = this.#known.redactStrings(line);
    if (redacted === line || JSON.stringify(redacted) === JSON.stringify(line)) return line;
    this.#isChanged = true;
    return redacted;
  }

  redactEvent(event: JournalEvent): readonly JournalEvent[] {
    const lines = this.#redactByKind(event);
    for (const line of lines) if ('blob' in line) this.namedBlobs.add(line.blob);
    return lines;
  }

  *waitingHeads(): Generator<JournalEvent> {
    for (const { head } of this.#open.values()) if (head !== null) yield head;
  }

  streamOf(i: number): DiffingFilter | null {
    return this.#open.get(i)?.stream ?? null;
  }

  #redactByKind(event: JournalEvent): readonly JournalEvent[] {
    if (event.e === 'request') {
      this.#open.set(event.i, { headers: event.headers, head: null, stream: null });
      return [this.redactLine(event)];
    }
    const exchange = this.#open.get(event.i);
    if (exchange === undefined) return [this.redactLine(event)];
    if (event.e === 'request-body') return [this.#redactBody(event, exchange.headers)];
    if (event.e === 'response') return this.#redactHead(event, exchange);
    if (event.e === 'piece') return [this.#redactPiece(event, exchange)];
    if (event.e === 'response-body')
      return withFittedHead(exchange, this.#redactBody(event, exchange.headers), event.size);
    return this.#redactEnd(event, exchange);
  }

  #redactHead(event: EventOf<'response'>, exchange: ExchangeState): readonly JournalEvent[] {
    exchange.headers = event.headers;
    const head = this.redactLine(event);
    if (contentCodings(event.headers).length > 0) {
      exchange.head = head;
      return [];
    }
    if (isEventStream(event)) exchange.stream = new DiffingFilter(this.#known.createStreamFilter());
    return [head];
  }

  #redactPiece(event: EventOf<'piece'>, { stream }: ExchangeState): JournalEvent {
    if (stream === null) return this.redactLine(event);
    const bytes = inlineBytes(event);
    const filtered = stream.push(bytes);
    if (Buffer.compare(filtered, bytes) === 0) return event;
    const { i, e, at, size } = event;
    return { i, e, at, size, ...inlineBody(filtered) };
  }

  #redactEnd(event: EventOf<'end'>, exchange: ExchangeState): readonly JournalEvent[] {
    this.#open.delete(event.i);
    const { head, stream } = exchange;
    const rest = stream?.finish() ?? new Uint8Array(0);
    if (stream?.isChanged === true) this.#isChanged = true;
    const piece: JournalEvent = { i: event.i, e: 'piece', at: event.at, size: 0, ...inlineBody(rest) };
    return [...(head === null ? [] : [head]), ...(rest.length === 0 ? [] : [piece]), this.redactLine(event)];
  }

  #redactBody(event: BodyEvent, headers: HeaderPairs): BodyEvent {
    if ('digest' in event) return this.redactLine(event);
    const isCoded = contentCodings(headers).length > 0;
    const createFilter = () => createSentBodyFilter(headers, this.#known);
    const readPieces = (): Iterable<Uint8Array> => {
      if (!('blob' in event)) return [inlineBytes(event)];
      // Read whole, because the filter for compressed content would hold all pieces until the end.
      if (isCoded) return [this.#blobs.read(event.blob, event.size)];
      return this.#blobs.pieces(event.blob, event.size);
    };
    const trial = new DiffingFilter(createFilter());
    for (const piece of readPieces()) trial.push(piece);
    trial.finish();
    if (!trial.isChanged) return event;
    this.#isChanged = true;
    const redacted = filterPieces(readPieces(), createFilter());
    const stored = 'blob' in event ? this.#putBlob(event.blob, redacted) : this.#inline(event.size, redacted);
    if (event.e === 'request-body') return { i: event.i, e: event.e, ...stored };
    // The piece boundaries of a recompressed body are unknown.
    const pieces = isCoded ? ([[0, event.pieces.at(-1)?.[1] ?? 0]] as const) : event.pieces;
    return { i: event.i, e: event.e, pieces, ...stored };
  }

  #inline(sizeBefore: number, pieces: Iterable<Uint8Array>): RedactedContent {
    const bytes = Buffer.concat([...pieces]);
    const { length: size } = bytes;
    // Text of the same length fits in its line; recompressed content may be larger.
    if (size === sizeBefore || size <= MAX_INLINE_BINARY_BYTES) return { size, ...inlineBody(bytes) };
    return this.#putBlob(null, [bytes]);
  }

  #putBlob(replacedBlob: string | null, pieces: Iterable<Uint8Array>): RedactedContent {
    const copy = this.#blobs.begin();
    let size = 0;
    for (const piece of pieces) {
      copy.write(piece);
      size += piece.length;
    }
    const blob = copy.finish();
    if (replacedBlob !== null) this.replacements.set(replacedBlob, blob);
    return { size, blob };
  }
}

type RedactedContent = Stored & { readonly size: number };

function* filterPieces(pieces: Iterable<Uint8Array>, filter: ByteFilter): Generator<Uint8Array> {
  for (const piece of pieces) yield filter.push(piece);
  yield filter.finish();
}

function withFittedHead(exchange: ExchangeState, body: BodyEvent, oldSize: number): readonly JournalEvent[] {
  const { head } = exchange;
  exchange.head = null;
  if (head === null) return [body];
  if (body.size === oldSize) return [head, body];
  return [{ ...head, headers: withContentLength(head.headers, body.size) }, body];
}

export function* redactLines(
  events: Iterable<JournalEvent>,
  known: KnownSecrets,
  blobs: BlobStore,
): Generator<JournalEvent> {
  const redaction = new LateRedaction(known, blobs);
  let last: JournalEvent | null = null;
  for (const event of events) {
    yield* redaction.redactEvent(event);
    last = event;
  }
  yield* redaction.waitingHeads();
  const rest = last === null ? undefined : redaction.streamOf(last.i)?.finish();
  if (last === null || rest === undefined || rest.length === 0) return;
  yield { i: last.i, e: 'piece', at: 'at' in last ? last.at : 0, size: 0, ...inlineBody(rest) };
}
