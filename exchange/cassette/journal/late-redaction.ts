import type { HeaderPairs } from '../../exchange.ts';
import { contentCodings } from '../../http/content.ts';
import { isEventStream } from '../../http/event-stream.ts';
import { ContentCodingFilter } from '../../redaction/filters/content-coding-filter.ts';
import type { KnownSecrets } from '../../redaction/known-secrets.ts';
import type { ByteFilter } from '../../redaction/redactor.ts';
import { type Inline, type JournalEvent, MAX_INLINE_BINARY_BYTES, type Stored } from '../format/lines.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { inlineBody, inlineBytes, withContentLength } from './assemble-exchange.ts';
import { FilteredBytes } from './filtered-bytes.ts';

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
