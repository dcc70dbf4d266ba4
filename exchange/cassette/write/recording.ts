import type { Exchange, Piece } from '../../exchange.ts';
import { isEventStream } from '../../http/event-stream.ts';
import type { FormDataPart } from '../../http/form-data.ts';
import type { ContentCodingFilter } from '../../redaction/filters/content-coding-filter.ts';
import type { ByteFilter } from '../../redaction/redactor.ts';
import type { BodyPlacement } from '../body/body-sink.ts';
import type { FilteredBody } from '../body/filtered-body.ts';
import {
  codedFilter,
  MOST_JUDGED,
  RESOLVED,
  requestBody,
  responseBody,
  whenKept,
} from '../body/message-body.ts';
import { volatileBoundary } from '../format/boundary.ts';
import type { JournalEvent, StoredPart } from '../format/lines.ts';
import type { LineWithoutBody } from '../format/write-line.ts';
import type { RecordedEnding, RequestHead, ResponseHead } from '../heads.ts';
import { assembleExchange, inlineBody, storedPart, withContentLength } from '../journal/assemble-exchange.ts';
import type { FilteredBytes } from '../journal/filtered-bytes.ts';
import type { OpenRecording } from './open-recordings.ts';
import type { RecordingHost } from './recording-host.ts';

export { RESOLVED } from '../body/message-body.ts';
export type { RecordedEnding, RequestHead, ResponseHead } from '../heads.ts';

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
