import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Body, MAX_READ_BYTES } from '../http/body.ts';
import type { BlobStore } from './blobs.ts';
import { bodyViews, decodeBody } from './body-encoding.ts';
import { type CassetteError, damageError } from './cassette-error.ts';
import { headersWithBoundary, placeholderBoundary } from './form-boundary.ts';
import type { BodyLine, CassetteLine, ResponseLine, StoredHeaders, TimingLine } from './lines.ts';
import { sharedHeader } from './shared-headers.ts';
import { restoreBoundary, restorePart } from './stored-body.ts';
import { DEFAULT_STREAM_SYNTAX, decodeStream } from './stream-lines.ts';

const NONE: readonly never[] = [];

/**
 * Throws CassetteError if a blob is missing or has another size, another Error if the lines are not an exchange. A
 * damaged body throws CassetteError when it is read; restoring the boundary of a form reads it at once. `locate` adds
 * the place to errors of bodies in the lines.
 */
export function parseExchange(
  lines: readonly CassetteLine[],
  timing: TimingLine | null,
  blobs: BlobStore,
  locate: Locate = (error) => error,
): Exchange {
  const request = lines[0];
  if (request?.e !== 'request') throw new Error('it does not begin with a request');
  const end = lines.at(-1);
  if (end?.e !== 'end') throw new Error('it has no end line');
  const responseIndex = lines.findIndex(({ e }) => e === 'response');
  const response = lines[responseIndex];
  const headers = mergeRequestHeaders(request.headers, timing?.request);
  const boundary = timing?.boundary ?? null;
  const { i, after, ended, method, target } = request;
  const requestLines = responseIndex === -1 ? lines : lines.slice(0, responseIndex);
  return {
    id: `e${i}`,
    after,
    ended,
    scenario: request.scenario ?? null,
    probe: request.probe ?? null,
    request: {
      method,
      target,
      headers:
        boundary === null ? headers : headersWithBoundary(headers, placeholderBoundary(boundary), boundary),
      body: restoreBoundary(parseBody(requestLines, 'request', blobs, locate), boundary),
    },
    response:
      response?.e !== 'response'
        ? null
        : {
            status: response.status,
            reason: response.reason,
            headers: mergeResponseHeaders(response.headers, timing?.response),
            body: parseBody(lines.slice(responseIndex), 'response', blobs, locate),
            trailers: mergeResponseHeaders(end.trailers ?? [], timing?.trailers),
            pieces: (timing?.pieces ?? []).map(([offset, at]) => ({ offset, at })),
          },
    end: { how: end.how, detail: end.detail ?? null, at: timing?.end ?? 0 },
  };
}

type Locate = (error: CassetteError) => CassetteError;

function parseBody(lines: readonly CassetteLine[], of: BodyLine['of'], blobs: BlobStore, locate: Locate) {
  const index = lines.findIndex((line) => line.e === 'body' && line.of === of);
  const line = lines[index];
  if (line?.e !== 'body') return Body.empty;
  const { size, sha256 } = line;
  if ('blob' in line) {
    const file = blobs.locate(sha256, size);
    if (size > MAX_READ_BYTES && file !== null) return Body.unread(sha256, size, file);
    return Body.stored(sha256, size, () => blobs.read(sha256, size), { ...(file !== null && { file }) });
  }
  if ('digest' in line) return Body.digest(sha256, size, line.parts?.map(restorePart) ?? null);
  const events = 'lines' in line ? lines.slice(index + 1, index + 1 + line.lines) : NONE;
  return Body.stored(sha256, size, bodyLoader(line, events, locate), bodyViews(line));
}

/**
 * Separate from `parseBody`, because a closure there would keep its variables, and so all lines of the exchange.
 * The loader throws CassetteError if the decoded bytes do not have the stated size.
 */
function bodyLoader(head: BodyLine, lines: readonly CassetteLine[], locate: Locate): () => Buffer {
  return () => {
    const bytes =
      'lines' in head ? decodeStream(lines, { ...DEFAULT_STREAM_SYNTAX, ...head }) : decodeBody(head);
    if (bytes?.length === head.size) return bytes;
    const found = `the ${head.of} body has ${bytes?.length ?? 0} bytes instead of ${head.size}`;
    throw locate(damageError('malformed', found));
  };
}

type TimingValues = readonly (readonly [index: number, value: string])[] | undefined;

/** Without the timing file, fields whose values it has are empty: even their names help to tell senders apart. */
function mergeRequestHeaders(headers: StoredHeaders, values: TimingValues): HeaderPairs {
  return headers.map(([name, stored], index) =>
    sharedHeader(name, stored ?? timingValue(values, index) ?? ''),
  );
}

/** Without the timing file, fields whose values it has are left out: a replay must not send them empty. */
function mergeResponseHeaders(headers: StoredHeaders, values: TimingValues): HeaderPairs {
  return headers.flatMap(([name, stored], index) => {
    const value = stored ?? timingValue(values, index);
    return value === undefined ? [] : [sharedHeader(name, value)];
  });
}

function timingValue(values: TimingValues, index: number): string | undefined {
  return values?.find(([place]) => place === index)?.[1];
}

export type RecordedResponse = Pick<Exchange, 'id' | 'response' | 'end'>;

export function parseRecordedResponse(
  index: number,
  { status, reason, headers }: ResponseLine,
  body: Uint8Array,
  timing: TimingLine | null,
): RecordedResponse {
  return {
    id: `e${index + 1}`,
    response: {
      status,
      reason,
      headers: mergeResponseHeaders(headers, timing?.response),
      body: Body.from(body),
      trailers: NONE,
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? NONE,
    },
    end: { how: 'complete', detail: null, at: timing?.end ?? 0 },
  };
}
