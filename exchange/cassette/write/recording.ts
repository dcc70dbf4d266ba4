import type { Exchange, HeaderPairs, Piece } from '../../exchange.ts';
import { contentCodings, mediaTypeOf } from '../../http/content.ts';
import { isEventStream } from '../../http/event-stream.ts';
import type { FormDataPart } from '../../http/form-data.ts';
import {
  ContentCodingFilter,
  MAX_DECODED_BODY_BYTES,
} from '../../redaction/filters/content-coding-filter.ts';
import { chainFilters } from '../../redaction/filters/filter-chain.ts';
import type { ByteFilter } from '../../redaction/redactor.ts';
import { boundaryFilter, placeholderBoundary, volatileBoundary } from '../format/boundary.ts';
import type { JournalEvent, StoredPart } from '../format/lines.ts';
import type { LineWithoutBody } from '../format/write-line.ts';
import type { RecordedEnding, RequestHead, ResponseHead } from '../heads.ts';
import { assembleExchange, inlineBody, storedPart, withContentLength } from '../journal/assemble-exchange.ts';
import { type BodyPlacement, BodySink } from './body-sink.ts';
import type { OpenRecording } from './open-recordings.ts';
import type { RecordingHost } from './recording-host.ts';

export type { RecordedEnding, RequestHead, ResponseHead } from '../heads.ts';

/** Larger answers are not given to `onLines`: it would have to hold them in memory. Bytes. */
const MOST_JUDGED = 64 * 1024 * 1024;

/** One exchange on its way to the disk. Secrets are replaced before anything is kept. */
export class Recording implements OpenRecording {
  /** `e17`. */
  readonly id: string;
  readonly #i: number;
  readonly #host: RecordingHost;
  readonly #began: number;
  readonly #journal: JournalEvent[] = [];
  readonly #requestSink: BodySink;
  /** Among the open recordings. */
  readonly #slot: number;
  readonly #boundary: string | null;
  /** As they came: only the media type is read of them. */
  readonly #sentHeaders: HeaderPairs;
  #requestFilter: ByteFilter;
  readonly #pieces: Piece[] = [];
  #requestCoded: ContentCodingFilter | null = null;
  #requestDone: Promise<void> | null = null;
  /** Null before the status line, and for event streams, whose pieces are written as they arrive. */
  #responseSink: BodySink | null = null;
  #responseFilter: ByteFilter | null = null;
  #coded: ContentCodingFilter | null = null;
  /** Whether the bodies have gone to be written down. */
  #isSent = false;
  #isAnswered = false;
  #head: ResponseHead | null = null;
  #received = 0;

  constructor(i: number, after: number, head: RequestHead, host: RecordingHost) {
    this.id = `e${i}`;
    this.#i = i;
    this.#host = host;
    this.#began = head.since ?? performance.now();
    const { redactor } = host;
    const headers = redactor.headers(head.headers);
    this.#sentHeaders = head.headers;
    this.#boundary = volatileBoundary(head.headers);
    const boundary = this.#boundary;
    if (contentCodings(head.headers).length > 0)
      this.#requestCoded = new ContentCodingFilter(head.headers, redactor);
    this.#requestFilter = this.#requestCoded ?? this.#plainRequest();
    const delimiter =
      boundary === null ? (mediaTypeOf(head.headers)?.boundary ?? null) : placeholderBoundary(boundary);
    this.#requestSink = new BodySink(host.isKept ? host.blobs : null, host.keepRequests, delimiter);
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

  /** Replaces secrets in the request body, and its boundary by one that is the same in every recording. */
  #plainRequest(): ByteFilter {
    const plain = this.#host.redactor.stream(this.#sentHeaders);
    const boundary = this.#boundary;
    return boundary === null
      ? plain
      : chainFilters(plain, boundaryFilter(boundary, placeholderBoundary(boundary)));
  }

  /**
   * A secret became known: what was taken in before, and is not written down yet, is searched for it as well. Compressed
   * bodies are searched when they are whole. Throws CassetteError where what lies on the disk cannot be changed.
   */
  refilter(): void {
    const { redactor } = this.#host;
    if (!this.#isSent && this.#requestCoded === null && this.#requestSink.size > 0) {
      const filter = this.#plainRequest();
      this.#requestSink.refilter(this.#requestFilter, filter);
      this.#requestFilter = filter;
    }
    const sink = this.#responseSink;
    if (sink === null || this.#coded !== null || this.#isAnswered || sink.size === 0) return;
    const filter = redactor.stream(this.#head?.headers);
    sink.refilter(this.#responseFilter ?? filter, filter);
    this.#responseFilter = filter;
  }

  /** Milliseconds since the request began. */
  now(): number {
    return Math.round((performance.now() - this.#began) * 1000) / 1000;
  }

  /** Further bytes of the request body. */
  requestBody(bytes: Uint8Array): void {
    this.#requestSink.push(this.#requestFilter.push(bytes));
  }

  /** In place of its bytes: the request body is known by its digest only. */
  requestDigest(digest: string, size: number, parts: readonly FormDataPart[] | null): void {
    const stored = { digest, ...(parts && { parts: parts.map(storedPart) }) };
    this.#isSent = true;
    this.#requestDone = RESOLVED;
    this.#write({ i: this.#i, e: 'request-body', size, ...stored });
  }

  /** The request body is complete. Called by `end` unless it was called before. */
  requestEnd(): Promise<void> {
    this.#requestDone ??= this.#finishRequest();
    return this.#requestDone;
  }

  response(head: ResponseHead): void {
    const { redactor, isKept } = this.#host;
    const blobs = isKept ? this.#host.blobs : null;
    this.#head = { ...head, reason: redactor.text(head.reason), headers: redactor.headers(head.headers) };
    if (contentCodings(head.headers).length > 0) {
      // Its head waits: should the content hold a secret, its length changes.
      this.#responseFilter = this.#coded = new ContentCodingFilter(head.headers, redactor);
      this.#responseSink = new BodySink(blobs, MAX_DECODED_BODY_BYTES);
      return;
    }
    this.#writeHead();
    const streams = isEventStream(head);
    this.#responseFilter = streams ? redactor.eventStream() : redactor.stream(head.headers);
    if (!streams) this.#responseSink = new BodySink(blobs, isKept ? Number.POSITIVE_INFINITY : MOST_JUDGED);
  }

  /** Bytes of the response body, one call per piece as it arrived. */
  piece(bytes: Uint8Array, at = this.now()): void {
    this.#pieces.push({ offset: this.#received, at });
    this.#received += bytes.length;
    const released = this.#responseFilter?.push(bytes) ?? bytes;
    if (this.#responseSink !== null) this.#responseSink.push(released);
    else this.#write({ i: this.#i, e: 'piece', at, size: bytes.length }, released);
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
    this.#isSent = true;
    this.#requestSink.push(this.#requestFilter.finish());
    if (this.#requestCoded !== null) this.#remarkCoded(this.#requestCoded, 'request');
    const { size } = this.#requestSink;
    if (size === 0) return RESOLVED;
    return this.#writeBody({ i: this.#i, e: 'request-body', size }, this.#requestSink.finish());
  }

  #finishResponse(): Promise<void> {
    this.#isAnswered = true;
    const rest = this.#responseFilter?.finish();
    if (rest === undefined) return RESOLVED;
    if (this.#responseSink === null) {
      if (rest.length > 0) this.#write({ i: this.#i, e: 'piece', at: this.now(), size: 0 }, rest);
      return RESOLVED;
    }
    this.#responseSink.push(rest);
    const { size } = this.#responseSink;
    if (this.#coded !== null) this.#writeCodedHead(this.#coded, size);
    if (size === 0) return RESOLVED;
    const pieces = this.#coded?.changed
      ? [[0, this.#pieces.at(-1)?.at ?? 0] as const]
      : this.#pieces.map(({ offset, at }) => [offset, at] as const);
    return this.#writeBody({ i: this.#i, e: 'response-body', size, pieces }, this.#responseSink.finish());
  }

  /** Writes the line of a body when its blob is complete. */
  #writeBody(event: LineWithoutBody, placement: BodyPlacement | Promise<BodyPlacement>): Promise<void> {
    if (placement instanceof Promise) return placement.then((body) => this.#writeKept(event, body));
    this.#writeKept(event, placement);
    return RESOLVED;
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
  #writeCodedHead(coded: ContentCodingFilter, size: number): void {
    if (coded.changed && this.#head !== null) {
      this.#head = { ...this.#head, headers: withContentLength(this.#head.headers, size) };
    }
    this.#remarkCoded(coded, 'response');
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

/** What `requestEnd` gives when there is nothing to wait for. */
export const RESOLVED = Promise.resolve();
