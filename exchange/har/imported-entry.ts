import type { RecordedEnding, Recording, RequestHead } from '../cassette/recording.ts';
import { restorePart } from '../cassette/stored-body.ts';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { firstHeader, withContentLength } from '../http/headers.ts';
import {
  exportedContent,
  NotBase64Error,
  type RequestContent,
  requestContent,
  responseContent,
} from './content.ts';
import { type HarEntry, HarError, type HarRequest, type HarTimings } from './format.ts';

export interface ImportedEntry {
  readonly entry: HarEntry;
  /** Position among the ends of exchanges in a file from `exportHar`, else milliseconds since 1970; 0 if unknown. */
  readonly beginsAt: number;
  /** Like `beginsAt`, but infinite if the start is unknown: the exchange then overlaps all others. */
  readonly endsAt: number;
  readonly head: RequestHead;
  readonly requestBody: RequestContent;
  readonly responseBody: Buffer | null;
}

/**
 * Returns null for an entry of another service or a web socket, unless assay exported it. `prefix` is the URL before
 * `/v1`; `place` names the entry in messages. Throws HarError if a body cannot be decoded.
 */
export function importEntry(entry: HarEntry, prefix: string, place: string): ImportedEntry | null {
  const { request, response, _assay: ours } = entry;
  if (ours === undefined && (!request.url.startsWith(`${prefix}/`) || response.status === 101)) return null;
  const target = ours?.target ?? request.url.slice(prefix.length).split('#')[0] ?? '/';
  const began = Date.parse(entry.startedDateTime ?? '') || 0;
  const [requestBody, responseBody] = contentOf(entry, place);
  const { scenario = null, probe = null } = ours ?? {};
  return {
    entry,
    // An exchange with `after: n` began between end n and end n + 1.
    beginsAt: ours === undefined ? began : ours.after + 0.5,
    endsAt: ours?.ended ?? (began === 0 ? Number.POSITIVE_INFINITY : began + Math.max(0, entry.time ?? 0)),
    head: {
      method: request.method,
      target,
      headers: withFormType(request, requestBody),
      began,
      scenario,
      probe,
    },
    requestBody,
    responseBody,
  };
}

function contentOf(
  { request, response, _assay }: HarEntry,
  place: string,
): readonly [RequestContent, Buffer | null] {
  try {
    return [
      requestContent(request, pairsOf(request.headers)),
      _assay === undefined
        ? responseContent(response, pairsOf(response.headers))
        : exportedContent(response.content ?? {}),
    ];
  } catch (error) {
    if (!(error instanceof NotBase64Error)) throw error;
    throw new HarError(`${place} contains ${error.message}. Save the file again as HAR.`);
  }
}

export function recordEnd(
  recording: Recording,
  { entry, responseBody }: ImportedEntry,
): Promise<Exchange | null> {
  const { response, _assay: ours } = entry;
  if (ours?.answered ?? response.status > 0) {
    const bytes = responseBody ?? Buffer.alloc(0);
    const headers =
      ours === undefined ? decodedHeaders(response.headers, bytes.length) : pairsOf(response.headers);
    recording.response({ status: response.status, reason: response.statusText ?? '', headers });
    const pieces = ours?.pieces.length ? ours.pieces : [[0, timeToFirstByte(entry.timings)] as const];
    for (const [i, [from, at]] of (bytes.length === 0 ? [] : pieces).entries())
      recording.piece(bytes.subarray(from, pieces[i + 1]?.[0] ?? bytes.length), at);
  }
  return recording.end(endingOf(entry, responseBody));
}

function endingOf({ response, time, _assay: ours }: HarEntry, responseBody: Buffer | null): RecordedEnding {
  if (ours !== undefined) return { ...ours.end, trailers: ours.trailers };
  const error = response._error ?? null;
  const at = Math.max(0, time ?? 0);
  // Browsers omit bodies that they no longer hold, and mitmproxy those that it streamed.
  if (error === null && response.status > 0 && responseBody === null)
    return { how: 'client-abort', detail: 'the file does not contain the body', at };
  if (response.status > 0 && error === null) return { how: 'complete', at };
  const how = error !== null && /abort/i.test(error) ? 'client-abort' : 'upstream-reset';
  return { how, detail: error, at };
}

export function recordRequestBody(recording: Recording, { entry, requestBody }: ImportedEntry): void {
  const digest = entry._assay?.digest;
  if (digest !== undefined)
    recording.requestDigest(digest.sha256, digest.size, digest.parts?.map(restorePart) ?? null);
  else if (requestBody.kind === 'bytes') recording.requestBody(requestBody.bytes);
  else
    recording.requestDigest(
      Body.unknownSha256,
      requestBody.size,
      requestBody.kind === 'form' ? requestBody.parts : null,
    );
}

/** HAR content is decoded, so its coding headers no longer apply. */
function decodedHeaders(headers: HarRequest['headers'], size: number): HeaderPairs {
  const kept = pairsOf(headers).filter(([name]) => !/^(?:content-encoding|transfer-encoding)$/i.test(name));
  return withContentLength(kept, size);
}

/** Some recorders state the type of a form only next to its parts. */
function withFormType({ headers, postData }: HarRequest, { kind }: RequestContent): HeaderPairs {
  const pairs = pairsOf(headers);
  const { mimeType, text, params } = postData ?? {};
  const isForm = kind !== 'unknown' && mimeType != null && !text && params != null && params.length > 0;
  if (!isForm || firstHeader(pairs, 'content-type') !== null) return pairs;
  return [...pairs, ['content-type', mimeType]];
}

/** Drops the pseudo fields of HTTP/2, which are stored elsewhere; `:authority` becomes `Host` if that is missing. */
function pairsOf(headers: HarRequest['headers']): HeaderPairs {
  const fields = headers ?? [];
  const hasHost = fields.some(({ name }) => /^host$/i.test(name));
  return fields.flatMap(({ name, value }): HeaderPairs => {
    if (name === ':authority' && !hasHost) return [['host', value ?? '']];
    return name.startsWith(':') ? [] : [[name, value ?? '']];
  });
}

function timeToFirstByte(timings: HarTimings | null | undefined): number {
  const { blocked, dns, connect, send, wait } = timings ?? {};
  return [blocked, dns, connect, send, wait].reduce<number>((sum, time) => sum + Math.max(0, time ?? 0), 0);
}
