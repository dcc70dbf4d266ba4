import type { Exchange, HeaderPairs, HttpResponse, Piece } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import { restoreBoundary, restorePart } from '../journal/assemble-exchange.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { bodyViews, DEFAULT_STREAM_SYNTAX, decodeBody, decodeStream } from './body-encoding.ts';
import { headersWithBoundary, placeholderBoundary } from './boundary.ts';
import type {
  BodyLine,
  CassetteLine,
  EndLine,
  EventLine,
  RawLine,
  RequestLine,
  ResponseLine,
  StoredHeaders,
  TimingLine,
} from './lines.ts';

/** Makes an exchange of its lines. Throws CassetteError when a blob is missing; any other Error when the lines are not an exchange. */
export function parseExchange(
  lines: readonly CassetteLine[],
  timing: TimingLine | null,
  blobs: BlobStore,
): Exchange {
  const [request, ...rest] = lines;
  if (request?.e !== 'request') throw new Error('it does not begin with a request');
  const end = rest.at(-1);
  if (end?.e !== 'end') throw new Error('it does not end with an end');
  const at = rest.findIndex(({ e }) => e === 'response');
  const before = at === -1 ? rest : rest.slice(0, at);
  return {
    id: `e${request.i}`,
    after: request.after,
    ended: request.ended,
    scenario: request.scenario ?? null,
    probe: request.probe ?? null,
    request: parseRequest(request, before, timing, blobs),
    response: at === -1 ? null : parseResponse(rest.slice(at), end, timing, blobs),
    end: { how: end.how, detail: end.detail ?? null, at: timing?.end ?? 0 },
  };
}

/** The request of an exchange, with the header values of its timing line. */
function parseRequest(
  line: RequestLine,
  rest: readonly CassetteLine[],
  timing: TimingLine | null,
  blobs: BlobStore,
) {
  const boundary = timing?.boundary;
  const headers = mergeTimingHeaders(line.headers, timing?.request);
  const body = parseBody(rest, 'request', blobs);
  return {
    method: line.method,
    target: line.target,
    headers:
      boundary === undefined
        ? headers
        : headersWithBoundary(headers, placeholderBoundary(boundary), boundary),
    body: boundary === undefined ? body : restoreBoundary(body, boundary),
  };
}

/** The response of an exchange; null when no status line arrived. */
function parseResponse(
  lines: readonly CassetteLine[],
  end: EndLine,
  timing: TimingLine | null,
  blobs: BlobStore,
): HttpResponse {
  // as: the caller found the response line at the first place
  const { status, reason, headers } = lines[0] as ResponseLine;
  return {
    status,
    reason,
    headers: mergeTimingHeaders(headers, timing?.response),
    body: parseBody(lines, 'response', blobs),
    trailers: mergeTimingHeaders(end.trailers ?? [], timing?.trailers),
    pieces: (timing?.pieces ?? []).map(([offset, at]): Piece => ({ offset, at })),
  };
}

/** The body of a message; empty when no line describes it. */
function parseBody(lines: readonly CassetteLine[], of: 'request' | 'response', blobs: BlobStore): Body {
  const at = lines.findIndex((line) => line.e === 'body' && line.of === of);
  const line = lines[at];
  if (line?.e !== 'body') return Body.empty;
  const { size, sha256 } = line;
  if ('blob' in line) {
    blobs.check(sha256, size);
    const file = blobs.file(sha256);
    return Body.stored(sha256, size, () => blobs.read(sha256, size), { ...(file !== null && { file }) });
  }
  if ('digest' in line) return Body.digest(sha256, size, line.parts?.map(restorePart) ?? null);
  const load = () => sized('lines' in line ? parseStream(lines, at, line) : decodeBody(line), line);
  return Body.stored(sha256, size, load, bodyViews(line));
}

/** Throws CassetteError where decoded bytes do not have the size that the line states. */
function sized(bytes: Buffer | null, { of, size }: BodyLine): Buffer {
  if (bytes?.length === size) return bytes;
  throw new Error(`the ${of} body has ${bytes?.length ?? 0} bytes instead of ${size}`);
}

/** The bytes of a stream from the lines after its head. */
function parseStream(
  lines: readonly CassetteLine[],
  at: number,
  head: Extract<BodyLine, { readonly lines: number }>,
): Buffer {
  const inner = lines.slice(at + 1, at + 1 + head.lines);
  const events = inner.filter((line): line is EventLine | RawLine => line.e === 'event' || line.e === 'raw');
  return decodeStream(events, { ...DEFAULT_STREAM_SYNTAX, ...head });
}

/** Header fields with the values that the volatile lane has. */
export function mergeTimingHeaders(
  headers: StoredHeaders,
  lane: readonly (readonly [number, string])[] | undefined,
): HeaderPairs {
  // as: most messages have no value in the lane
  if (headers.every(([, value]) => value !== null)) return headers as HeaderPairs;
  const valueAt = (index: number) => lane?.find(([place]) => place === index)?.[1] ?? '';
  return headers.map(([name, value], index) => [name, value ?? valueAt(index)]);
}
