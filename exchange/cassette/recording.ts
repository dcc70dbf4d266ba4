import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { Ending, Exchange, HeaderPairs, Piece, Probe } from '../exchange.ts';
import { contentCodings, mediaTypeOf } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { type FormDataPart, FormDataReader } from '../http/form-data.ts';
import { ContentCodingFilter, MAX_DECODED_BODY_BYTES } from '../redaction/compressed-body.ts';
import type { ByteFilter, KnownSecrets, Redactor } from '../redaction/redactor.ts';
import { chainFilters } from '../redaction/replacer.ts';
import type { Blobs, BlobWriter } from './blobs.ts';
import {
  assembleExchange,
  boundaryFilter,
  inlineBody,
  placeholderBoundary,
  storedPart,
  volatileBoundary,
  withContentLength,
} from './exchange-lines.ts';
import type { LineWithoutBody } from './journal.ts';
import type { FilteredBytes } from './late-secrets.ts';
import {
  type Inline,
  type JournalEvent,
  MAX_INLINE_BINARY_BYTES,
  MAX_INLINE_BYTES,
  type Stored,
  type StoredPart,
} from './lines.ts';

const EMPTY = new Uint8Array(0);
/** A filter that holds nothing back, in place of one that has finished. */
const PASSING: ByteFilter = { push: (bytes) => bytes, finish: () => EMPTY };

/** One exchange on its way to the disk. Secrets are replaced before anything is kept. */
export class Recording implements OpenRecording {
  /** `e17`. */
  readonly id: string;
  readonly #i: number;
  readonly #host: RecordingHost;
  readonly #began: number;
  readonly #journal: JournalEvent[] = [];
  /** Among the open recordings. */
  readonly #slot: number;
  readonly #request: FilteredBody;
  readonly #requestCoded: ContentCodingFilter | null;
  #requestDone: Promise<void> | null = null;
  /** Null before the status line, and for event streams. */
  #response: FilteredBody | null = null;
  #coded: ContentCodingFilter | null = null;
  /** For event streams, whose pieces are written as they arrive; null for other responses, and once it has ended. */
  #stream: ByteFilter | null = null;
  /** Bytes of the stream that go before what the filter gives next. */
  #ahead: Uint8Array = EMPTY;
  readonly #pieces: Piece[] = [];
  #head: ResponseHead | null = null;
  #received = 0;

  constructor(i: number, after: number, head: RequestHead, host: RecordingHost) {
    this.id = `e${i}`;
    this.#i = i;
    this.#host = host;
    this.#began = head.since ?? performance.now();
    const { redactor } = host;
    const headers = redactor.headers(head.headers);
    const boundary = volatileBoundary(head.headers);
    this.#requestCoded = codedFilter(head.headers, redactor);
    this.#request = requestBody(head.headers, boundary, this.#requestCoded, host);
    this.#write({
      i,
      e: 'request',
      after,
      began: head.began ?? Date.now(),
      scenario: head.scenario ?? null,
      probe: head.probe ?? null,
      method: head.method,
      target: redactor.target(head.target),
      headers,
      boundary: boundary === null ? null : redactor.text(boundary),
    });
    this.#slot = host.open.add(this);
  }

  /** A secret became known: what was taken in before is searched for it as well. Compressed bodies are searched when they are whole. */
  refilter(streamOf: (i: number) => FilteredBytes | null): void {
    this.#request.refilter();
    this.#response?.refilter();
    const stream = this.#stream === null ? null : streamOf(this.#i);
    // Where rules hold the stream back, nothing of it was written.
    if (this.#stream === null || stream === null || (this.#host.redactor.isRuled && stream.size === 0))
      return;
    this.#ahead = stream.push(Buffer.concat([this.#ahead, this.#stream.finish()]));
    this.#stream = stream;
  }

  /** Milliseconds since the request began. */
  now(): number {
    return Math.round((performance.now() - this.#began) * 1000) / 1000;
  }

  /** Further bytes of the request body. */
  requestBody(bytes: Uint8Array): void {
    this.#request.push(bytes);
    this.#host.search();
  }

  /** In place of its bytes: the request body is known by its digest only, and by the parts of a form. */
  requestDigest(digest: string, size: number, parts: readonly FormDataPart[] | null): void {
    const stored = parts === null ? { digest } : this.#withParts(digest, parts.map(storedPart));
    this.#requestDone = RESOLVED;
    this.#write({ i: this.#i, e: 'request-body', size, ...stored });
  }

  /** The request body is complete. Called by `end` unless it was called before. */
  requestEnd(): Promise<void> {
    this.#requestDone ??= this.#finishRequest();
    return this.#requestDone;
  }

  response(head: ResponseHead): void {
    const { redactor } = this.#host;
    this.#head = { ...head, reason: redactor.text(head.reason), headers: redactor.headers(head.headers) };
    this.#coded = codedFilter(head.headers, redactor);
    // The head of a compressed body waits: should the content hold a secret, its length changes.
    if (this.#coded === null) this.#writeHead();
    if (this.#coded === null && isEventStream(head)) this.#stream = redactor.eventStream();
    else this.#response = responseBody(head.headers, this.#coded, this.#host);
    this.#host.search();
  }

  /** Bytes of the response body, one call per piece as it arrived. */
  piece(bytes: Uint8Array, at = this.now()): void {
    this.#pieces.push({ offset: this.#received, at });
    this.#received += bytes.length;
    if (this.#stream === null) {
      this.#response?.push(bytes);
      this.#host.search();
      return;
    }
    this.#ahead = joined(this.#ahead, this.#stream.push(bytes));
    this.#host.search();
    const ready = this.#ahead;
    this.#ahead = EMPTY;
    this.#write({ i: this.#i, e: 'piece', at, size: bytes.length }, ready);
  }

  /**
   * The exchange is over. When the promise is kept, it is on the disk. Gives the exchange as it was stored, or null
   * where the cassette does not collect. Rejects with CassetteError when the disk refuses.
   */
  end(end: RecordedEnding): Promise<Exchange | null> {
    const at = end.at ?? this.now();
    const request = this.requestEnd();
    // Only blobs take time: nearly always there is nothing to wait for.
    if (request === RESOLVED) {
      const response = this.#finishResponse();
      return response === RESOLVED
        ? this.#ended(end, at)
        : this.#track(response.then(() => this.#ended(end, at)));
    }
    return this.#track(request.then(() => this.#finishResponse()).then(() => this.#ended(end, at)));
  }

  #track<T>(ending: Promise<T>): Promise<T> {
    this.#host.track(ending);
    return ending;
  }

  /** Writes the end line, and returns when everything is on the disk. The judge gets it also where the disk fails. */
  #ended(end: RecordedEnding, at: number): Promise<Exchange | null> {
    const { redactor, blobs, collect, onLines, open } = this.#host;
    open.remove(this.#slot, this);
    this.#write({
      i: this.#i,
      e: 'end',
      ended: this.#host.ended(),
      how: end.how,
      detail: end.detail == null ? null : redactor.text(end.detail),
      at,
      trailers: redactor.headers(end.trailers ?? []),
    });
    this.#host.whole(this.#journal);
    const written = this.#host.commit();
    const handed = onLines === null ? written : written.finally(() => onLines(this.#lines()));
    if (collect) return handed.then(() => assembleExchange(this.#journal, blobs));
    return onLines === null ? written : handed.then(() => null);
  }

  /** The lines for `onLines`. An exchange too large to be judged is given as one that the client aborted, without its response. */
  #lines(): readonly JournalEvent[] {
    const [request] = this.#journal;
    const end = this.#journal.at(-1);
    if (this.#received <= MOST_JUDGED || request === undefined || end?.e !== 'end') return this.#journal;
    return [request, { ...end, how: 'client-abort', detail: 'too large to be judged' }];
  }

  #finishRequest(): Promise<void> {
    this.#request.end();
    if (this.#requestCoded !== null) this.#remarkCoded(this.#requestCoded, 'request');
    this.#host.search();
    if (this.#request.size === 0) return RESOLVED;
    return whenKept(this.#request.placement(), (body) => {
      this.#writeKept({ i: this.#i, e: 'request-body', size: this.#request.size }, body);
      this.#request.kept();
    });
  }

  #finishResponse(): Promise<void> {
    if (this.#stream !== null) this.#finishStream(this.#stream);
    const response = this.#response;
    if (response === null) return RESOLVED;
    response.end();
    if (this.#coded !== null) this.#remarkCoded(this.#coded, 'response');
    this.#host.search();
    if (response.size === 0) {
      this.#writeCodedHead(0);
      return RESOLVED;
    }
    return whenKept(response.placement(), (body) => {
      const { size } = response;
      this.#writeCodedHead(size);
      const pieces =
        size === this.#received && this.#coded?.changed !== true
          ? this.#pieces.map(({ offset, at }) => [offset, at] as const)
          : [[0, this.#pieces.at(-1)?.at ?? 0] as const];
      this.#writeKept({ i: this.#i, e: 'response-body', size, pieces }, body);
      response.kept();
    });
  }

  /** Writes what the filter of a stream has held back. */
  #finishStream(stream: ByteFilter): void {
    this.#ahead = joined(this.#ahead, stream.finish());
    // What it has let go is searched for what it has learned at its end.
    this.#stream = PASSING;
    this.#host.search();
    const rest = joined(this.#ahead, this.#stream.finish());
    this.#stream = null;
    if (rest.length > 0) this.#write({ i: this.#i, e: 'piece', at: this.now(), size: 0 }, rest);
  }

  /** Writes the line of a body, in the form in which the body was stored. */
  #writeKept(event: LineWithoutBody, body: BodyPlacement): void {
    if ('bytes' in body) this.#write(event, body.bytes);
    else
      this.#write({
        ...event,
        ...('parts' in body && body.parts ? this.#withParts(body.digest, body.parts) : body),
      });
  }

  /** The text of small fields may have been read before a secret in it was known. */
  #withParts(digest: string, parts: readonly StoredPart[]): BodyPlacement {
    const { redactor } = this.#host;
    return {
      digest,
      parts: parts.map(({ text, ...part }) => ({
        ...part,
        ...(text !== undefined && { text: redactor.text(text) }),
      })),
    };
  }

  /** Writes the line of the response head. */
  #writeHead(): void {
    if (this.#head === null) return;
    const { status, reason, headers } = this.#head;
    this.#write({ i: this.#i, e: 'response', status, reason, headers });
  }

  /** Writes the head of a compressed response, whose length may have changed. */
  #writeCodedHead(size: number): void {
    if (this.#coded === null) return;
    if (size !== this.#received && this.#head !== null) {
      this.#head = { ...this.#head, headers: withContentLength(this.#head.headers, size) };
    }
    this.#writeHead();
  }

  /** Notes that a compressed body was changed, or could not be searched. */
  #remarkCoded({ changed, unread }: ContentCodingFilter, of: 'request' | 'response'): void {
    const body = `The compressed ${of} body of ${this.id}`;
    if (changed) this.#host.remark(`${body} held a secret: it is kept compressed anew.`);
    if (unread) this.#host.remark(`${body} could not be read: secrets in it are not seen.`);
  }

  /** Writes an event to the journal, and collects it where it is needed later. */
  #write(event: LineWithoutBody, body: Uint8Array | null = null): void {
    // as: together with its body the line is whole
    const isEnd = event.e === 'end';
    if (this.#host.collect || (this.#host.onLines !== null && (this.#received <= MOST_JUDGED || isEnd)))
      this.#journal.push({ ...event, ...(body && inlineBody(body)) } as JournalEvent);
    this.#host.write(event, body);
  }
}

/** Two runs of bytes as one; mostly the first is empty. */
function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.length === 0 ? second : Buffer.concat([first, second]);
}

/** The services of a cassette writer that one recording uses. */
export interface RecordingHost {
  /** Replaces secrets before anything is kept. */
  readonly redactor: Redactor;
  /** Store for bodies that are too large for a line. */
  readonly blobs: Blobs;
  /** False where the exchange is only given to `onLines`, and kept nowhere. */
  readonly isKept: boolean;
  /** Largest request body that is kept. Bytes. */
  readonly keepRequests: number;
  /** Whether `end` returns the exchange. */
  readonly collect: boolean;
  /** Gets the lines of each exchange that has ended; the end waits for it. */
  readonly onLines: ((lines: readonly JournalEvent[]) => Promise<unknown> | null) | null;
  /** `body` goes into the line, as text or base64. */
  write(event: LineWithoutBody, body: Uint8Array | null): void;
  /** Takes secrets that have become known out of what is kept already. Throws CassetteError where the disk refuses. */
  search(): void;
  /** Gets the lines of an exchange that has ended, where the cassette collects them. */
  whole(lines: readonly JournalEvent[]): void;
  remark(message: string): void;
  /** Registers an end, and gives its ordinal. */
  ended(): number;
  /** Keeps its promise when all that was written is in the file. */
  commit(): Promise<null>;
  /** The cassette is not finished before this has settled. */
  track(ending: Promise<unknown>): void;
  /** Recordings that have not ended. */
  readonly open: OpenRecordings;
}

/** The beginning of a request, as on the wire; `target` is the path and query from `/v1` on. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly scenario?: string | null;
  readonly probe?: Probe | null;
  /** Of one that began before it is written down: how many exchanges had ended then. */
  readonly after?: number;
  /** When it began, by the clock of `performance` and in milliseconds since 1970; now, unless given. */
  readonly since?: number;
  readonly began?: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
}

/** How an exchange ended; `at` is now unless given. */
export type RecordedEnding = Pick<Ending, 'how'> & {
  readonly detail?: string | null;
  readonly trailers?: HeaderPairs;
  readonly at?: number;
};

/** A recording that has not ended. */
export interface OpenRecording {
  /**
   * Searches what was kept before for the secrets that are known now. `streamOf`: the filter that the event stream of an exchange went
   * through anew, and goes on through. Throws CassetteError when the disk cannot be changed.
   */
  refilter(streamOf: (i: number) => FilteredBytes | null): void;
}

/**
 * The recordings that have not ended. Kept in slots that are used again and not in a Set: a Set allocates its table anew after
 * so many deletions, and each old table keeps ended recordings in memory until the next full collection.
 */
export class OpenRecordings {
  readonly #slots: (OpenRecording | null)[] = [];
  readonly #free: number[] = [];

  /** Adds a recording and returns its slot, which `remove` needs. */
  add(recording: OpenRecording): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = recording;
    return slot;
  }

  /** Frees a slot, unless it holds another recording by now. */
  remove(slot: number, recording: OpenRecording): void {
    if (this.#slots[slot] !== recording) return;
    this.#slots[slot] = null;
    this.#free.push(slot);
  }

  /** The recordings in the order of their slots. */
  *[Symbol.iterator](): Generator<OpenRecording> {
    for (const recording of this.#slots) if (recording !== null) yield recording;
  }
}

/** Larger answers are not given to `onLines`: it would have to hold them in memory. Bytes. */
export const MOST_JUDGED = 64 * 1024 * 1024;

/** The filter of a body with a content coding; null for other bodies. */
export function codedFilter(headers: HeaderPairs, redactor: Redactor): ContentCodingFilter | null {
  return contentCodings(headers).length > 0 ? new ContentCodingFilter(headers, redactor) : null;
}

/** A request body: secrets are replaced, and its boundary by one that is the same in every recording. */
export function requestBody(
  headers: HeaderPairs,
  boundary: string | null,
  coded: ContentCodingFilter | null,
  { redactor, isKept, blobs, keepRequests }: RecordingHost,
): FilteredBody {
  const plain = (source: Pick<KnownSecrets, 'stream'>) =>
    boundary === null
      ? source.stream(headers)
      : chainFilters(source.stream(headers), boundaryFilter(boundary, placeholderBoundary(boundary)));
  const delimiter =
    boundary === null ? (mediaTypeOf(headers)?.boundary ?? null) : placeholderBoundary(boundary);
  return new FilteredBody(
    {
      first: coded ?? plain(redactor),
      again: () =>
        coded === null ? plain(redactor.known) : new ContentCodingFilter(headers, redactor.known),
      isHeldBack: coded !== null,
    },
    new BodySink(isKept ? blobs : null, keepRequests, delimiter),
  );
}

/** A response body that is stored when it is whole. */
export function responseBody(
  headers: HeaderPairs,
  coded: ContentCodingFilter | null,
  { redactor, isKept, blobs }: RecordingHost,
): FilteredBody {
  const most = isKept ? Number.POSITIVE_INFINITY : MOST_JUDGED;
  return new FilteredBody(
    {
      first: coded ?? redactor.stream(headers),
      again: () =>
        coded === null ? redactor.known.stream(headers) : new ContentCodingFilter(headers, redactor.known),
      isHeldBack: coded !== null,
    },
    new BodySink(isKept ? blobs : null, coded === null ? most : MAX_DECODED_BODY_BYTES),
  );
}

/** Calls back with the placement of a body when it is known; the promise is `RESOLVED` where that is at once. */
export function whenKept(
  placement: BodyPlacement | Promise<BodyPlacement>,
  write: (body: BodyPlacement) => void,
): Promise<void> {
  if (placement instanceof Promise) return placement.then(write);
  write(placement);
  return RESOLVED;
}

/** A promise that is kept already: there is nothing to wait for. */
export const RESOLVED = Promise.resolve();

/** The filters of one body. */
export interface BodyFilters {
  /** Redacts what arrives. */
  readonly first: ByteFilter;
  /** Makes a filter for content that went through `first`, for secrets that are known now. */
  readonly again: () => ByteFilter;
  /** Whether `first` holds everything back until the body is whole. */
  readonly isHeldBack: boolean;
}

/** A body on its way through its filter to where it is stored. */
export class FilteredBody {
  /** Fixed at the beginning; `#filter` is the one that is in use. */
  readonly #filters: BodyFilters;
  readonly #sink: BodySink;
  /** What arrives goes through it; another takes its place when a secret becomes known. */
  #filter: ByteFilter;
  /** `whole`: all of it went through the filter. `kept`: its line is written. */
  #state: 'open' | 'whole' | 'kept' = 'open';

  constructor(filters: BodyFilters, sink: BodySink) {
    this.#filters = filters;
    this.#filter = filters.first;
    this.#sink = sink;
  }

  /** Bytes that came out of the filter so far. */
  get size(): number {
    return this.#sink.size;
  }

  /** Adds bytes as they arrive. */
  push(bytes: Uint8Array): void {
    this.#sink.push(this.#filter.push(bytes));
  }

  /** The body is complete. */
  end(): void {
    this.#sink.push(this.#filter.finish());
    this.#state = 'whole';
  }

  /** Where it is stored. Only a blob takes time; until `kept` secrets can still be taken out of it. */
  placement(): BodyPlacement | Promise<BodyPlacement> {
    return this.#sink.finish();
  }

  /** Its line is written: it is taken out of the journal from now on. */
  kept(): void {
    this.#state = 'kept';
  }

  /** A secret became known: searches for it in what has come out of the filter. Throws CassetteError where what lies on the disk cannot be changed. */
  refilter(): void {
    if (this.#state === 'kept' || this.#sink.size === 0) return;
    if (this.#state === 'whole') this.#sink.rewrite(this.#filters.again());
    else if (!this.#filters.isHeldBack) {
      const filter = this.#filters.again();
      this.#sink.refilter(this.#filter, filter);
      this.#filter = filter;
    }
  }
}

/** Where a body was stored: in its line, in a blob, or as a digest. */
export type BodyPlacement = { readonly bytes: Uint8Array } | Exclude<Stored, Inline>;

/** Takes the redacted bytes of a body as they come: the small stays in memory, the large goes to a blob, the larger is only digested. */
export class BodySink {
  readonly #blobs: Blobs | null;
  readonly #keep: number;
  #size = 0;
  #pieces: Uint8Array[] = [];
  #blob: BlobWriter | null = null;
  #hash: Hash | null = null;
  /** Present only for forms that outgrow their line. */
  #parts: FormDataReader | null = null;
  readonly #boundary: string | null;

  /**
   * Bodies of more than `keep` bytes are digested only; of a form, given its boundary, also the parts. Without `blobs`
   * all else stays in memory.
   */
  constructor(blobs: Blobs | null, keep: number, boundary: string | null = null) {
    this.#blobs = blobs;
    this.#keep = keep;
    this.#boundary = boundary;
  }

  /** Bytes of the body so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes; beyond the size of a line they go to a blob. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    this.#parts?.push(bytes);
    if (this.#hash !== null) this.#hash.update(bytes);
    else if (this.#size > this.#keep) this.#digestOnly(bytes);
    else if (this.#blob !== null) this.#blob.write(bytes);
    else {
      this.#pieces.push(bytes);
      if (this.#size > MAX_INLINE_BYTES) this.#spill();
    }
  }

  /**
   * Passes what is kept so far, and what the filter before held back, through a filter that knows more; further bytes are to
   * come through that one. Of what is only digested nothing is kept.
   */
  refilter(before: ByteFilter, filter: ByteFilter): void {
    const held = before.finish();
    if (this.#hash === null && this.#blob !== null) {
      this.#parts = this.#boundary === null ? null : new FormDataReader(this.#boundary);
      this.#blob.refilter(filter, 'open', (bytes) => this.#parts?.push(bytes));
      this.#size = this.#blob.size;
    } else if (this.#hash === null) {
      const pieces = this.#pieces;
      this.#pieces = [];
      this.#size = 0;
      for (const piece of pieces) this.push(filter.push(piece));
    }
    this.push(filter.push(held));
  }

  /** Passes a complete body through a filter, also while its blob is on the way to the disk. Its length may change. Of what is only digested nothing is kept. */
  rewrite(filter: ByteFilter): void {
    if (this.#hash !== null) return;
    if (this.#blob !== null) {
      this.#parts = this.#boundary === null ? null : new FormDataReader(this.#boundary);
      this.#blob.refilter(filter, 'final', (bytes) => this.#parts?.push(bytes));
      this.#size = this.#blob.size;
      return;
    }
    const bytes = Buffer.concat([filter.push(Buffer.concat(this.#pieces)), filter.finish()]);
    this.#pieces = [bytes];
    this.#size = bytes.length;
  }

  /** Returns the form in which the body is stored. Only a blob takes time. */
  finish(): BodyPlacement | Promise<BodyPlacement> {
    if (this.#hash !== null) {
      const parts = this.#parts?.finish()?.map(storedPart);
      return { digest: this.#hash.digest('hex'), ...(parts && { parts }) };
    }
    if (this.#blob !== null) return this.#blob.finish().then((blob) => ({ blob }));
    const [only] = this.#pieces;
    const bytes = only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
    if (this.#blobs === null || this.#size <= MAX_INLINE_BINARY_BYTES || isUtf8(bytes)) return { bytes };
    this.#spill();
    return this.finish();
  }

  /** Leaves nothing on the disk. */
  drop(): void {
    this.#blob?.drop();
    this.#blob = null;
  }

  /** Moves the bytes in memory to a new blob. */
  #spill(): void {
    if (this.#blobs === null) return;
    this.#blob = this.#blobs.begin();
    if (this.#boundary !== null) this.#parts = new FormDataReader(this.#boundary);
    for (const piece of this.#pieces) {
      this.#blob.write(piece);
      this.#parts?.push(piece);
    }
    this.#pieces = [];
  }

  /** Continues with a digest, after the limit for kept bodies. */
  #digestOnly(bytes: Uint8Array): void {
    this.#hash = this.#blob?.digestSoFar() ?? createHash('sha256');
    for (const piece of this.#pieces) this.#hash.update(piece);
    if (this.#parts === null && this.#boundary !== null) {
      this.#parts = new FormDataReader(this.#boundary);
      for (const piece of [...this.#pieces, bytes]) this.#parts.push(piece);
    }
    this.#hash.update(bytes);
    this.#pieces = [];
    this.drop();
  }
}
