import type { Ending, Exchange, HeaderPairs, Piece, Probe } from '../exchange.ts';
import { Body, type FormDataPart, MAX_READ_BYTES } from '../http/body.ts';
import { contentCodings, mediaTypeOf } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { withContentLength } from '../http/headers.ts';
import { type ByteFilter, chainFilters, type DiffingFilter, PASS_THROUGH } from '../redaction/byte-filter.ts';
import { type ContentCodingFilter, MAX_CODED_BYTES } from '../redaction/compressed-body.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { NoteContent } from '../trace.ts';
import { Blobs } from './blobs.ts';
import { inlineBody } from './body-encoding.ts';
import { assembleExchange } from './exchange-lines.ts';
import { boundaryFilter, placeholderBoundary, volatileBoundary } from './form-boundary.ts';
import { type JournalEvent, MAX_PIECES, type Stored, type StoredPart } from './lines.ts';
import { RecordedBody } from './recorded-body.ts';
import { storedPart } from './stored-body.ts';

export interface RequestHead {
  readonly method: string;
  /** Path and query, from `/v1` on for calls of the specification. */
  readonly target: string;
  /** In wire order, with secrets, which the recording replaces. */
  readonly headers: HeaderPairs;
  /** Name of the scenario that sends the request, or `DISCOVERY`. Default: null, for other traffic. */
  readonly scenario?: string | null;
  readonly probe?: Probe | null;
  /** How many exchanges had ended when the request began. Needed only if the exchange is recorded later. */
  readonly after?: number;
  /** When the request began, by `performance.now()`. Default: now. */
  readonly since?: number;
  /** When the request began, in milliseconds since 1970. Default: now. */
  readonly began?: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
}

/** How an exchange ended. `at` is in milliseconds since the request began; default: now. */
export type RecordedEnding = Pick<Ending, 'how'> & {
  readonly detail?: string | null;
  readonly trailers?: HeaderPairs;
  readonly at?: number;
};

/** Default maximum size in bytes of a kept request body; a larger one is reduced to its digest. */
export const MAX_KEPT_REQUEST_BYTES = 16 * 1024 * 1024;

export interface RecorderOptions {
  /** Whether `end` returns the exchange. Default true. */
  readonly collect?: boolean;
  /** Receives the lines of each ended exchange, for `assembleExchange` in any thread. `end` waits for the promise. */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /**
   * Maximum size in bytes of a response that is passed whole to `onLines`; with a cassette, all streams in flight
   * together may take four times as much. Default: `MAX_READ_BYTES`.
   */
  readonly maxResponseBytes?: number;
  readonly maxRequestBytes?: number;
}

/** Begins and numbers recordings without keeping them; its subclass `CassetteWriter` keeps them. */
export class MemoryRecorder {
  readonly redactor: Redactor;
  readonly blobs: Blobs;
  readonly collect: boolean;
  readonly onLines: NonNullable<RecorderOptions['onLines']> | null;
  readonly maxResponseBytes: number;
  readonly maxRequestBytes: number;
  protected begun = 0;
  protected ended = 0;

  constructor(redactor: Redactor, options: RecorderOptions = {}, blobs = new Blobs('')) {
    this.redactor = redactor;
    this.blobs = blobs;
    this.collect = options.collect ?? true;
    this.onLines = options.onLines ?? null;
    this.maxResponseBytes = options.maxResponseBytes ?? MAX_READ_BYTES;
    this.maxRequestBytes = options.maxRequestBytes ?? MAX_KEPT_REQUEST_BYTES;
  }

  begin(head: RequestHead): Recording {
    this.begun += 1;
    return new Recording(this, { i: this.begun, after: head.after ?? this.ended, isKept: false }, head);
  }

  /** `CassetteWriter` adds the note to the trace; without a cassette there is nothing to add it to. */
  note(_: NoteContent): unknown {
    return null;
  }

  /** `CassetteWriter` reserves memory for pieces of streams; returns false if the exchanges in flight use too much. */
  reserve(_: number): boolean {
    return true;
  }

  release(_: number): void {}

  /** Called once for each recording, after its head is written. */
  onBegin(_: Recording): void {}

  /** Called at the end of each recording; returns its position among all ends. */
  onEnd(_: Recording): number {
    this.ended += 1;
    return this.ended;
  }

  /** `CassetteWriter` appends the line to the journal, after it has removed late secrets from earlier lines. */
  write(_: JournalEvent): void {}

  /** `CassetteWriter` removes newly known secrets from everything written so far. May throw CassetteError. */
  removeLateSecrets(): void {}

  /** Resolves when everything written is in the file. */
  commit(): Promise<null> {
    return Promise.resolve(null);
  }
}

const EMPTY = new Uint8Array(0);

/**
 * Heads and the bytes of bodies pass the redactor before they are kept. The pieces of an uncompressed event stream
 * become lines one by one.
 */
export class Recording {
  /** `e` and the number of the exchange: `e17`. */
  readonly id: string;
  /** False without a cassette, and once its writer has reached its size limit: the exchange is then not stored. */
  readonly isKept: boolean;
  /** Position among the open recordings; managed by the recorder. */
  slot = -1;
  readonly #i: number;
  readonly #recorder: MemoryRecorder;
  readonly #began: number;
  #lines: JournalEvent[] = [];
  #heldBytes = 0;
  #isLong = false;
  readonly #request: RecordedBody;
  #isRequestOver = false;
  #head: ResponseHead | null = null;
  #response: RecordedBody | null = null;
  #stream: ByteFilter | null = null;
  #pending: Uint8Array = EMPTY;
  readonly #pieces: Piece[] = [];
  #received = 0;

  constructor(
    recorder: MemoryRecorder,
    { i, after, isKept }: { readonly i: number; readonly after: number; readonly isKept: boolean },
    head: RequestHead,
  ) {
    const { redactor } = recorder;
    const boundary = volatileBoundary(head.headers);
    this.id = `e${i}`;
    this.isKept = isKept;
    this.#i = i;
    this.#recorder = recorder;
    this.#began = head.since ?? performance.now();
    const headers = redactor.redactHeaders(head.headers);
    this.#request = this.#createRequestBody(head.headers, boundary);
    this.#write({
      i,
      e: 'request',
      after,
      began: head.began ?? Date.now(),
      scenario: head.scenario ?? null,
      probe: head.probe ?? null,
      method: head.method,
      target: redactor.redactTarget(head.target),
      headers,
      boundary: boundary === null ? null : redactor.redactText(boundary),
    });
    recorder.onBegin(this);
  }

  /** Throws CassetteError if a write fails. */
  requestBody(bytes: Uint8Array): void {
    this.#request.push(bytes);
    this.#recorder.removeLateSecrets();
  }

  /** Use instead of `requestBody` for a body whose bytes are missing. `parts`: those of a form, if they are known. */
  requestDigest(digest: string, size: number, parts: readonly FormDataPart[] | null): void {
    this.#isRequestOver = true;
    this.#writeBody(
      { i: this.#i, e: 'request-body', size },
      { digest, ...(parts && { parts: parts.map(storedPart) }) },
    );
  }

  /** `end` calls it if the caller has not. Throws CassetteError if a write fails. */
  requestEnd(): void {
    if (this.#isRequestOver) return;
    this.#isRequestOver = true;
    const body = this.#request;
    body.end();
    this.#remarkCoded(body.codingFilter, 'request');
    this.#recorder.removeLateSecrets();
    if (body.size > 0)
      body.store((stored) => this.#writeBody({ i: this.#i, e: 'request-body', size: body.size }, stored));
  }

  /** Call it before the first piece. Throws CassetteError if a write fails. */
  response(head: ResponseHead): void {
    const { redactor } = this.#recorder;
    this.#head = {
      ...head,
      reason: redactor.redactText(head.reason),
      headers: redactor.redactHeaders(head.headers, 'service'),
    };
    const isCoded = contentCodings(head.headers).length > 0;
    // The head of a compressed response waits for its body, whose length may change if it contains a secret.
    if (!isCoded) this.#writeHead(this.#head.headers);
    if (!isCoded && isEventStream(head)) this.#stream = redactor.createStreamFilter();
    else this.#response = this.#createResponseBody(head.headers);
    this.#recorder.removeLateSecrets();
  }

  piece(bytes: Uint8Array, at = this.#elapsed()): void {
    const offset = this.#received;
    this.#received += bytes.length;
    if (this.#stream === null) {
      if (this.#pieces.length < MAX_PIECES) this.#pieces.push({ offset, at });
      this.#response?.push(bytes);
      this.#recorder.removeLateSecrets();
      return;
    }
    this.#pending = concat(this.#pending, this.#stream.push(bytes));
    this.#recorder.removeLateSecrets();
    const ready = this.#pending;
    this.#pending = EMPTY;
    this.#write({ i: this.#i, e: 'piece', at, size: bytes.length, ...inlineBody(ready) });
  }

  /**
   * Ends the exchange. Resolves to it, or to null without `collect`; if the exchange is kept, once its lines are in the
   * journal file. Throws or rejects with CassetteError if a write fails.
   */
  end(end: RecordedEnding): Promise<Exchange | null> {
    const at = end.at ?? this.#elapsed();
    this.requestEnd();
    this.#endResponse();
    const { redactor, blobs, collect, onLines } = this.#recorder;
    this.#write({
      i: this.#i,
      e: 'end',
      ended: this.#recorder.onEnd(this),
      how: end.how,
      detail: end.detail == null ? null : redactor.redactText(end.detail),
      at,
      trailers: redactor.redactHeaders(end.trailers ?? [], 'service'),
    });
    const written = this.isKept ? this.#recorder.commit() : Promise.resolve(null);
    if (!collect && onLines === null) return written;
    const lines = this.#judgedLines();
    // `onLines` gets the exchange even if the journal cannot be written.
    const delivered = onLines === null ? written : written.finally(() => onLines(lines));
    return delivered
      .then(() => (collect ? assembleExchange(lines, blobs) : null))
      .finally(() => this.#recorder.release(this.#heldBytes));
  }

  /**
   * Removes secrets that have just become known from content that is not yet in the journal; from a compressed body,
   * once it is complete. `streamOf` returns the filter that replaced late secrets in the pieces of an exchange in the
   * journal; later pieces pass through it too. Throws CassetteError if a write fails.
   */
  refilter(streamOf: (i: number) => DiffingFilter | null): void {
    this.#request.refilter();
    this.#response?.refilter();
    const stream = this.#stream === null ? null : streamOf(this.#i);
    // If user rules hold back the whole stream, none of it has been written.
    if (this.#stream === null || stream === null || (this.#recorder.redactor.hasRules && stream.size === 0))
      return;
    this.#pending = stream.push(concat(this.#pending, this.#stream.finish()));
    this.#stream = stream;
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#began) * 1000) / 1000;
  }

  #createRequestBody(headers: HeaderPairs, boundary: string | null): RecordedBody {
    const { redactor, blobs, maxRequestBytes } = this.#recorder;
    const createFilter = (source: Pick<Redactor, 'createBodyFilter'>): ByteFilter =>
      boundary === null
        ? source.createBodyFilter(headers)
        : chainFilters(
            source.createBodyFilter(headers),
            boundaryFilter(boundary, placeholderBoundary(boundary)),
          );
    return new RecordedBody({
      headers,
      redactor,
      createFilter,
      blobs: this.isKept ? blobs : null,
      maxBytes:
        contentCodings(headers).length === 0 ? maxRequestBytes : Math.min(maxRequestBytes, MAX_CODED_BYTES),
      boundary: boundary === null ? (mediaTypeOf(headers)?.boundary ?? null) : placeholderBoundary(boundary),
    });
  }

  #createResponseBody(headers: HeaderPairs): RecordedBody {
    const { redactor, blobs } = this.#recorder;
    const maxBytes = this.isKept ? Number.POSITIVE_INFINITY : this.#recorder.maxResponseBytes;
    return new RecordedBody({
      headers,
      redactor,
      createFilter: (source) => source.createBodyFilter(headers),
      blobs: this.isKept ? blobs : null,
      maxBytes: contentCodings(headers).length === 0 ? maxBytes : MAX_CODED_BYTES,
      boundary: null,
    });
  }

  #endResponse(): void {
    if (this.#stream !== null) this.#endStream(this.#stream);
    const body = this.#response;
    if (body === null) return;
    body.end();
    this.#remarkCoded(body.codingFilter, 'response');
    this.#recorder.removeLateSecrets();
    if (body.size > 0) body.store((stored) => this.#writeResponse(body, stored));
    else this.#writeCodedHead(body);
  }

  #writeResponse(body: RecordedBody, stored: Stored): void {
    const { size, codingFilter } = body;
    this.#writeCodedHead(body);
    // The piece boundaries of a recompressed body are unknown.
    const pieces =
      size === this.#received && codingFilter?.isChanged !== true
        ? this.#pieces.map(({ offset, at }) => [offset, at] as const)
        : [[0, this.#pieces.at(-1)?.at ?? 0] as const];
    this.#writeBody({ i: this.#i, e: 'response-body', size, pieces }, stored);
  }

  #endStream(stream: ByteFilter): void {
    this.#pending = concat(this.#pending, stream.finish());
    // The end of a stream can reveal a secret, so the rest is searched again before it is written.
    this.#stream = PASS_THROUGH;
    this.#recorder.removeLateSecrets();
    const rest = concat(this.#pending, this.#stream.finish());
    this.#stream = null;
    if (rest.length > 0)
      this.#write({ i: this.#i, e: 'piece', at: this.#elapsed(), size: 0, ...inlineBody(rest) });
  }

  /** A response too large to be judged is reduced to its size and, for a blob, its digest. */
  #judgedLines(): readonly JournalEvent[] {
    const { maxResponseBytes } = this.#recorder;
    if (this.#received <= maxResponseBytes && !this.#isLong) return this.#lines;
    const lines = this.#lines.map((line) =>
      line.e === 'response-body' && 'blob' in line && line.size > maxResponseBytes
        ? { i: line.i, e: line.e, size: line.size, pieces: line.pieces, digest: line.blob }
        : line,
    );
    if (!this.#isLong) return lines;
    const size = this.#received;
    const body = { i: this.#i, e: 'response-body', size, pieces: [], digest: Body.unreadSha256 } as const;
    return [...lines.slice(0, -1), body, ...lines.slice(-1)];
  }

  #writeHead(headers: HeaderPairs): void {
    if (this.#head === null) return;
    const { status, reason } = this.#head;
    this.#write({ i: this.#i, e: 'response', status, reason, headers });
  }

  #writeCodedHead({ codingFilter, size }: RecordedBody): void {
    if (codingFilter === null || this.#head === null) return;
    const { headers } = this.#head;
    this.#writeHead(size === this.#received ? headers : withContentLength(headers, size));
  }

  #writeBody(
    event: { readonly i: number; readonly size: number } & (
      | { readonly e: 'request-body' }
      | { readonly e: 'response-body'; readonly pieces: readonly (readonly [number, number])[] }
    ),
    stored: Stored,
  ): void {
    const { redactor } = this.#recorder;
    // A small form field may have been read before a secret in it was known.
    const redacted = ({ text, ...part }: StoredPart): StoredPart =>
      text === undefined ? part : { ...part, text: redactor.redactText(text) };
    const parts = 'parts' in stored && stored.parts ? { parts: stored.parts.map(redacted) } : {};
    this.#write({ ...event, ...stored, ...parts });
  }

  #remarkCoded(codingFilter: ContentCodingFilter | null, side: 'request' | 'response'): void {
    const body = `The compressed ${side} body of ${this.id}`;
    if (codingFilter?.isChanged)
      this.#remark(`${body} contained a secret: the secret was replaced, and the body recompressed.`);
    if (codingFilter?.isUnread) this.#remark(`${body} could not be read: secrets in it are not replaced.`);
  }

  #remark(message: string): void {
    this.#recorder.note({ note: 'remark', message });
  }

  #write(event: JournalEvent): void {
    const { collect, onLines } = this.#recorder;
    if (collect || onLines !== null) this.#hold(event);
    if (this.isKept) this.#recorder.write(event);
    else this.#recorder.removeLateSecrets();
  }

  #hold(event: JournalEvent): void {
    if (event.e !== 'piece') {
      this.#lines.push(event);
      return;
    }
    if (this.#isLong) return;
    const recorder = this.#recorder;
    const isFull = this.#received > recorder.maxResponseBytes || this.#lines.length > MAX_PIECES;
    if (!isFull && recorder.reserve(event.size)) {
      this.#heldBytes += event.size;
      this.#lines.push(event);
      return;
    }
    this.#isLong = true;
    this.#lines = this.#lines.filter((line) => line.e !== 'piece');
    recorder.release(this.#heldBytes);
    this.#heldBytes = 0;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.length === 0 ? second : Buffer.concat([first, second]);
}
