import type { HeaderPairs } from '../../exchange.ts';
import { contentCodings } from '../../http/content.ts';
import { ContentCodingFilter } from '../../redaction/filters/content-coding-filter.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { JournalEvent, Stored } from '../format/lines.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { inlineBody, inlineBytes, streamBytes, withContentLength } from './assemble-exchange.ts';

/** The lines of an exchange with secrets replaced that became known only after they were written. */
export function redactLines(
  events: readonly JournalEvent[],
  redactor: Redactor,
  blobs: BlobStore,
): readonly JournalEvent[] {
  const pieces = rewritePieces(events, redactor);
  let headers: HeaderPairs = [];
  const rewritten = events.map((event): JournalEvent => {
    if (event.e === 'request' || event.e === 'response') headers = event.headers;
    if (event.e === 'request') {
      const boundary = event.boundary === null ? null : redactor.text(event.boundary);
      const target = redactor.target(event.target);
      return { ...event, target, headers: values(event.headers, redactor), boundary };
    }
    if (event.e === 'response')
      return { ...event, reason: redactor.text(event.reason), headers: values(event.headers, redactor) };
    if (event.e === 'end') {
      const detail = event.detail === null ? null : redactor.text(event.detail);
      return { ...event, detail, trailers: values(event.trailers, redactor) };
    }
    if (event.e === 'piece') return pieces.shift() ?? event;
    const { i, e, size } = event;
    const stored =
      contentCodings(headers).length > 0
        ? rewriteCoded({ ...event, headers }, redactor, blobs)
        : { size, ...rewriteStored(event, size, redactor, blobs) };
    return e === 'request-body' ? { i, e, ...stored } : { i, e, pieces: event.pieces, ...stored };
  });
  return rewritten.map((event, k) =>
    event.e === 'response' ? fitted(event, events, rewritten.slice(k)) : event,
  );
}

/** A response whose compressed body has another length now. */
function fitted(
  response: Extract<JournalEvent, { readonly e: 'response' }>,
  before: readonly JournalEvent[],
  after: readonly JournalEvent[],
): JournalEvent {
  const size = (events: readonly JournalEvent[]) => events.find((event) => event.e === 'response-body')?.size;
  const now = size(after);
  return now === undefined || now === size(before)
    ? response
    : { ...response, headers: withContentLength(response.headers, now) };
}

/** Header fields with known secrets replaced in their values. */
function values(headers: HeaderPairs, redactor: Redactor): HeaderPairs {
  return headers.map(([name, value]) => [name, redactor.text(value)]);
}

/** The pieces of an event stream, redacted as one text and cut where they were cut before. */
function rewritePieces(events: readonly JournalEvent[], redactor: Redactor): JournalEvent[] {
  const pieces = events.filter((event) => event.e === 'piece');
  const filter = redactor.eventStream();
  const bytes = Buffer.concat([filter.push(streamBytes(pieces)), filter.finish()]);
  let done = 0;
  return pieces.map((piece) => {
    const { i, e, at, size } = piece;
    const from = done;
    done += inlineBytes(piece).length;
    return { i, e, at, size, ...inlineBody(bytes.subarray(from, done)) };
  });
}

/** A stored body with known secrets replaced. */
function rewriteStored(stored: Stored, size: number, redactor: Redactor, blobs: BlobStore): Stored {
  if ('digest' in stored) {
    const parts = stored.parts?.map(({ text, ...part }) => ({
      ...part,
      ...(text !== undefined && { text: redactor.text(text) }),
    }));
    return { digest: stored.digest, ...(parts && { parts }) };
  }
  if ('blob' in stored) return rewriteBlob(stored.blob, size, redactor, blobs);
  return inlineBody(redactor.bytes(inlineBytes(stored)));
}

/** A stored body with a content coding, and the header fields of its message. */
type CodedBody = Stored & { readonly size: number; readonly headers: HeaderPairs };

/** A body with a content coding, decoded, redacted and encoded anew where it contains a secret. */
function rewriteCoded(
  { size, headers, ...stored }: CodedBody,
  redactor: Redactor,
  blobs: BlobStore,
): Stored & { readonly size: number } {
  if ('digest' in stored) return { size, ...stored };
  const filter = new ContentCodingFilter(headers, redactor);
  const wire = 'blob' in stored ? blobs.read(stored.blob, size) : inlineBytes(stored);
  const bytes = Buffer.concat([filter.push(wire), filter.finish()]);
  if (!filter.changed) return { size, ...stored };
  const copy = blobs.begin();
  copy.write(bytes);
  return { size: bytes.length, blob: copy.finishSync() };
}

/** Copies a blob with known secrets replaced. */
function rewriteBlob(sha256: string, size: number, redactor: Redactor, blobs: BlobStore): Stored {
  const copy = blobs.begin();
  const filter = redactor.stream();
  for (const piece of blobs.pieces(sha256, size)) copy.write(filter.push(piece));
  copy.write(filter.finish());
  return { blob: copy.finishSync() };
}
