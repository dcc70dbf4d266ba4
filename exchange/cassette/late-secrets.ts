import type { HeaderPairs } from '../exchange.ts';
import { contentCodings } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { isSearchedInBodies } from '../redaction/alias.ts';
import { ContentCodingFilter } from '../redaction/compressed-body.ts';
import type { ByteFilter, KnownSecrets, Redactor } from '../redaction/redactor.ts';
import { type BlobStore, type Blobs, namedBlobsOf } from './blobs.ts';
import { inlineBody, inlineBytes, withContentLength } from './exchange-lines.ts';
import type { IncrementalFinisher } from './finish.ts';
import { CassetteError } from './folder.ts';
import { type Journal, SECRET } from './journal.ts';
import {
  type Inline,
  type JournalEvent,
  type JournalLine,
  MAX_INLINE_BINARY_BYTES,
  type Stored,
} from './lines.ts';
import type { Recording } from './recording.ts';
import { secretDigests } from './recovered-secrets.ts';

/** Everything of a recording that is on the disk, or is about to be written there. */
export interface Written {
  /** The folder that is recorded into. */
  readonly dir: string;
  /** The journal of the recording. */
  readonly journal: Journal;
  readonly blobs: Blobs;
  /** Exchanges that have not ended. */
  readonly open: readonly Recording[];
  /** Null when the cassette is not written incrementally. */
  readonly finisher: IncrementalFinisher | null;
}

/** Secrets that become known only from the traffic, when something that holds them may be on the disk already. */
export class LateSecrets {
  readonly #redactor: Redactor;
  readonly #written: Written;
  /** Secrets learned when the first exchange had begun. */
  #early: number | null = null;
  /** So many learned secrets, and so many of all, are in nothing that is on the disk. */
  #searched = 0;
  /** Number of secrets that were known at the last check. */
  #known: number;
  #isSearching = false;

  constructor(redactor: Redactor, written: Written) {
    this.#redactor = redactor;
    this.#written = written;
    this.#known = redactor.secrets.length;
  }

  /** An exchange has begun. */
  begun(): void {
    this.#early ??= this.#redactor.learned;
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.#redactor.learned > (this.#early ?? 0);
  }

  /**
   * Takes secrets that have become known out of what is on the disk; to be called before anything else is written, and so
   * before the request that taught them goes on. What was written is redacted as it would have been had the secrets been known: also
   * compressed bodies, and streams that cut a secret into deltas. Until that is done the journal keeps how to recognise the secrets, for the
   * case that this process is killed meanwhile. Throws CassetteError when the disk refuses; then the next call tries again.
   */
  remove(): void {
    const { learned } = this.#redactor;
    if (learned === this.#searched || this.#isSearching) return;
    const { secrets } = this.#redactor;
    if (this.#early !== null && learned > this.#early) {
      this.#isSearching = true;
      try {
        this.#search(secrets.slice(this.#known).filter(isSearchedInBodies));
      } finally {
        this.#isSearching = false;
      }
    }
    this.#searched = learned;
    this.#known = secrets.length;
  }

  /** Replaces secrets in everything that was written before they were known. */
  #search(secrets: readonly string[]): void {
    const { journal, open, finisher } = this.#written;
    finisher?.drop();
    journal.flush();
    const { size } = journal;
    for (const secret of secrets) for (const line of secretDigests(secret)) journal.append(line);
    journal.flush();
    const look = this.#look();
    const redaction = look.isChanged ? this.#rewrite() : look;
    for (const recording of open) recording.refilter((i) => redaction.streamOf(i));
    // Where nothing was found, the digests need not stay either.
    if (!look.isChanged) journal.truncate(size);
  }

  /** Searches the journal and its blobs, and writes nothing. */
  #look(): LateRedaction {
    const look = new LateRedaction(this.#redactor.known, lookingAt(this.#written.blobs));
    for (const _ of this.#lines(look));
    return look;
  }

  /** Redacts the journal and its blobs, in new files that take the place of the old ones. */
  #rewrite(): LateRedaction {
    const redaction = new LateRedaction(this.#redactor.known, this.#written.blobs);
    this.#written.journal.rewrite(this.#lines(redaction));
    this.#removeReplaced(redaction);
    return redaction;
  }

  /** The lines of the journal as a redaction makes them, without the digests of secrets. */
  *#lines(redaction: LateRedaction): Generator<string> {
    const { journal } = this.#written;
    for (const { bytes } of journal.lines()) {
      if (bytes.toString('latin1', 0, SECRET.length) === SECRET) continue;
      const line = parsed(bytes, journal.file);
      const lines = 'i' in line ? redaction.event(line) : [redaction.line(line)];
      for (const redacted of lines) yield redacted === line ? bytes.toString() : JSON.stringify(redacted);
    }
    for (const head of redaction.heads()) yield JSON.stringify(head);
  }

  /** Removes blobs that others took the place of, unless a line still names them. */
  #removeReplaced({ replaced, named }: LateRedaction): void {
    if (replaced.size === 0) return;
    const earlier = namedBlobsOf(this.#written.dir);
    this.#written.blobs.removeReplaced(replaced, (blob) => named.has(blob) || earlier.has(blob));
  }
}

/** Blobs as they are, for a search that writes nothing. */
function lookingAt(blobs: Blobs): Pick<BlobStore, 'read' | 'pieces' | 'begin'> {
  return {
    read: (sha256, size) => blobs.read(sha256, size),
    pieces: (sha256, size) => blobs.pieces(sha256, size),
    begin: () => ({ write: () => {}, finishSync: () => '' }),
  };
}

/** A line that this process wrote. Throws CassetteError where another program has changed it. */
function parsed(bytes: Buffer, file: string): JournalLine {
  try {
    return JSON.parse(bytes.toString()) as JournalLine; // as: written by us in this form
  } catch (error) {
    throw new CassetteError('malformed', `${file} was changed while it was being recorded.`, error);
  }
}

/** Journal events of one kind. */
type Of<E extends JournalEvent['e']> = Extract<JournalEvent, { readonly e: E }>;
/** An event that contains a body. */
type BodyEvent = Of<'request-body' | 'response-body'>;

/** An exchange of which the last line has not been read. */
interface OpenExchange {
  /** Header fields of the message that was begun last. */
  headers: HeaderPairs;
  /** Head of a compressed response: it waits for the length of its body. */
  head: Of<'response'> | null;
  /** Null unless the response is an event stream. */
  stream: FilteredBytes | null;
}

/**
 * Replaces secrets in the lines of exchanges that became known only after the lines were written, with the same recognition as the recorder.
 * Takes the lines of any number of exchanges in the order of their journal. Of an event stream, bytes that may begin a secret go into a later line.
 */
export class LateRedaction {
  readonly #known: KnownSecrets;
  readonly #blobs: Pick<BlobStore, 'read' | 'pieces' | 'begin'>;
  readonly #open = new Map<number, OpenExchange>();
  #isChanged = false;
  /** Digests of blobs that contained a secret, with the digests of those that took their place. */
  readonly replaced = new Map<string, string>();
  /** Digests of all blobs that the new lines name. */
  readonly named = new Set<string>();

  constructor(known: KnownSecrets, blobs: Pick<BlobStore, 'read' | 'pieces' | 'begin'>) {
    this.#known = known;
    this.#blobs = blobs;
  }

  /** Whether the new lines have another content than those that were read. */
  get isChanged(): boolean {
    return this.#isChanged || [...this.#open.values()].some(({ stream }) => stream?.isChanged === true);
  }

  /** A line that is not of an exchange, with its strings redacted; the same object where nothing is replaced. */
  line<T extends object>(line: T): T {
    const redacted = this.#known.strings(line);
    if (redacted === line || JSON.stringify(redacted) === JSON.stringify(line)) return line;
    this.#isChanged = true;
    return redacted;
  }

  /** The lines in place of one: the same object where nothing is replaced. */
  event(event: JournalEvent): readonly JournalEvent[] {
    const lines = this.#lines(event);
    for (const line of lines) if ('blob' in line) this.named.add(line.blob);
    return lines;
  }

  /** The heads that still wait for their bodies, at the end of a journal. */
  *heads(): Generator<JournalEvent> {
    for (const { head } of this.#open.values()) if (head !== null) yield head;
  }

  /** The filter of an event stream that has not ended: further bytes of exchange `i` go through it. Null for other exchanges. */
  streamOf(i: number): FilteredBytes | null {
    return this.#open.get(i)?.stream ?? null;
  }

  #lines(event: JournalEvent): readonly JournalEvent[] {
    if (event.e === 'request') {
      this.#open.set(event.i, { headers: event.headers, head: null, stream: null });
      return [this.line(event)];
    }
    const exchange = this.#open.get(event.i);
    if (exchange === undefined) return [this.line(event)];
    if (event.e === 'request-body') return [this.#body(event, exchange.headers)];
    if (event.e === 'response') return this.#head(event, exchange);
    if (event.e === 'piece') return [this.#piece(event, exchange)];
    if (event.e === 'response-body') return fitted(exchange, this.#body(event, exchange.headers), event.size);
    return this.#end(event, exchange);
  }

  /** The head of a response, unless it waits for its body. */
  #head(event: Of<'response'>, exchange: OpenExchange): readonly JournalEvent[] {
    exchange.headers = event.headers;
    const head = this.line(event);
    if (contentCodings(event.headers).length > 0) {
      exchange.head = head;
      return [];
    }
    if (isEventStream(event)) exchange.stream = new FilteredBytes(this.#known.eventStream());
    return [head];
  }

  #piece(event: Of<'piece'>, { stream }: OpenExchange): JournalEvent {
    if (stream === null) return this.line(event);
    const bytes = inlineBytes(event);
    const filtered = stream.push(bytes);
    if (Buffer.compare(filtered, bytes) === 0) return event;
    const { i, e, at, size } = event;
    return { i, e, at, size, ...inlineBody(filtered) };
  }

  /** The end, after all that waited for it. */
  #end(event: Of<'end'>, exchange: OpenExchange): readonly JournalEvent[] {
    this.#open.delete(event.i);
    const { head, stream } = exchange;
    const rest = stream?.finish() ?? new Uint8Array(0);
    if (stream?.isChanged === true) this.#isChanged = true;
    const piece: JournalEvent = { i: event.i, e: 'piece', at: event.at, size: 0, ...inlineBody(rest) };
    return [...(head === null ? [] : [head]), ...(rest.length === 0 ? [] : [piece]), this.line(event)];
  }

  /** The line of a body with secrets replaced. */
  #body(event: BodyEvent, headers: HeaderPairs): BodyEvent {
    if ('digest' in event) return this.line(event);
    const stored =
      contentCodings(headers).length > 0
        ? this.#coded(event, new ContentCodingFilter(headers, this.#known))
        : 'blob' in event
          ? this.#blob(event, () => this.#known.stream(headers))
          : this.#inline(event, this.#known.stream(headers));
    if (stored === null) return event;
    this.#isChanged = true;
    return event.e === 'request-body'
      ? { i: event.i, e: event.e, ...stored }
      : { i: event.i, e: event.e, pieces: event.pieces, ...stored };
  }

  /** A compressed body; null where nothing is replaced. */
  #coded(event: KeptBody, filter: ByteFilter): Redacted | null {
    if (!('blob' in event)) return this.#inline(event, filter);
    const bytes = this.#blobs.read(event.blob, event.size);
    const redacted = Buffer.concat([filter.push(bytes), filter.finish()]);
    return Buffer.compare(redacted, bytes) === 0 ? null : this.#copy(event.blob, [redacted]);
  }

  /** A body that stands in its line; null where nothing is replaced. */
  #inline(event: Inline, filter: ByteFilter): Redacted | null {
    const bytes = inlineBytes(event);
    const redacted = Buffer.concat([filter.push(bytes), filter.finish()]);
    if (Buffer.compare(redacted, bytes) === 0) return null;
    const { length: size } = redacted;
    // Text of the same length fits where it stood; content that was compressed anew may be larger.
    if (size === bytes.length || size <= MAX_INLINE_BINARY_BYTES) return { size, ...inlineBody(redacted) };
    return this.#copy(null, [redacted]);
  }

  /** A body in a blob, which is copied only if it contains a secret; null where nothing is replaced. */
  #blob({ blob, size }: KeptBody & { readonly blob: string }, open: () => ByteFilter): Redacted | null {
    const look = new FilteredBytes(open());
    for (const piece of this.#blobs.pieces(blob, size)) look.push(piece);
    look.finish();
    return look.isChanged ? this.#copy(blob, filtered(this.#blobs.pieces(blob, size), open())) : null;
  }

  /** Writes a new blob, in the place of another or of a line. */
  #copy(before: string | null, pieces: Iterable<Uint8Array>): Redacted {
    const copy = this.#blobs.begin();
    let size = 0;
    for (const piece of pieces) {
      copy.write(piece);
      size += piece.length;
    }
    const blob = copy.finishSync();
    if (before !== null) this.replaced.set(before, blob);
    return { size, blob };
  }
}

/** A body of which the bytes are kept. */
type KeptBody = Exclude<BodyEvent, { readonly digest: string }>;
/** Place and length of a redacted body. */
type Redacted = Stored & { readonly size: number };

/** Pieces passed through a filter. */
function* filtered(pieces: Iterable<Uint8Array>, filter: ByteFilter): Generator<Uint8Array> {
  for (const piece of pieces) yield filter.push(piece);
  yield filter.finish();
}

/** The head of a response that waited for its body, with the length of the body; then the body. */
function fitted(exchange: OpenExchange, body: BodyEvent, before: number): readonly JournalEvent[] {
  const { head } = exchange;
  exchange.head = null;
  if (head === null) return [body];
  if (body.size === before) return [head, body];
  return [{ ...head, headers: withContentLength(head.headers, body.size) }, body];
}

/** The lines of one exchange, whole or cut off, with late secrets replaced. */
export function redactLines(
  events: readonly JournalEvent[],
  known: KnownSecrets,
  blobs: BlobStore,
): readonly JournalEvent[] {
  const redaction = new LateRedaction(known, blobs);
  const lines = events.flatMap((event) => redaction.event(event));
  const last = events.at(-1);
  const rest = last === undefined ? undefined : redaction.streamOf(last.i)?.finish();
  const cut: JournalEvent[] =
    last === undefined || rest === undefined || rest.length === 0
      ? []
      : [{ i: last.i, e: 'piece', at: 'at' in last ? last.at : 0, size: 0, ...inlineBody(rest) }];
  return [...lines, ...redaction.heads(), ...cut];
}

/** A filter that reports whether it has changed anything. As many bytes come out as go in, some of them later. */
export class FilteredBytes implements ByteFilter {
  readonly #filter: ByteFilter;
  /** Bytes that went in and have not come out. */
  #held: Uint8Array = new Uint8Array(0);
  #isChanged = false;
  #size = 0;

  constructor(filter: ByteFilter) {
    this.#filter = filter;
  }

  /** Whether bytes came out changed, or wait and may still change. */
  get isChanged(): boolean {
    return this.#isChanged || this.#held.length > 0;
  }

  /** Bytes that went in. */
  get size(): number {
    return this.#size;
  }

  push(piece: Uint8Array): Uint8Array {
    this.#size += piece.length;
    return this.#compared(this.#filter.push(piece), piece);
  }

  finish(): Uint8Array {
    return this.#compared(this.#filter.finish(), new Uint8Array(0));
  }

  /** Compares bytes that came out with those that went in. */
  #compared(out: Uint8Array, piece: Uint8Array): Uint8Array {
    const held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const expected = held.subarray(0, out.length);
    if (!this.#isChanged && Buffer.compare(out, expected) !== 0) this.#isChanged = true;
    // Copied: pieces of a file are read into the same memory.
    this.#held = new Uint8Array(held.subarray(out.length));
    return out;
  }
}
