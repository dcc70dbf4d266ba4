import { restorePart } from '../cassette/journal/assemble-exchange.ts';
import type { CassetteWriter } from '../cassette/write/cassette-writer.ts';
import type { RecordedEnding, Recording, RequestHead } from '../cassette/write/recording.ts';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { firstHeader } from '../http/headers.ts';
import { NotBase64Error } from './base64.ts';
import { type HarEntry, HarError, type HarRequest, type HarTimings } from './format.ts';
import { type RequestContent, requestContent } from './request-content.ts';
import { exportedContent, responseContent } from './response-content.ts';

/** An entry on its way into a cassette. */
export interface ImportedEntry {
  /** For ordering among all begins and ends. */
  readonly beginsAt: number;
  /** For the same order. */
  readonly endsAt: number;
  /** Begins its recording, with request and request body. */
  begin(cassette: Pick<CassetteWriter, 'begin'>): void;
  /** What its request says before it is written, so that its secrets are known. */
  readonly head: Pick<RequestHead, 'headers' | 'target'>;
  /** Writes the response and the end; resolves when they are stored, with the exchange where these are collected. */
  end(): Promise<Exchange | null>;
}

/**
 * The exchange of an entry. Null for entries of other services (`prefix` is the URL up to `/v1`). `place` names the entry
 * in messages. Throws HarError where its text cannot be decoded.
 */
export function importEntry(entry: HarEntry, prefix: string, place: string): ImportedEntry | null {
  const { request, response, _assay: ours } = entry;
  if (ours === undefined && (!request.url.startsWith(`${prefix}/`) || response.status === 101)) return null;
  const target = ours?.target ?? request.url.slice(prefix.length).split('#')[0] ?? '/';
  const began = Date.parse(entry.startedDateTime ?? '') || 0;
  const [sent, received] = contentOf(entry, place);
  const headers = typedHeaders(request, sent);
  let recording: Recording | null = null;
  return {
    // Ordinals lie between the ends: an exchange that began after n ends began before end n + 1.
    beginsAt: ours === undefined ? began : ours.after + 0.5,
    endsAt: ours === undefined ? began + Math.max(0, entry.time ?? 0) : ours.ended,
    head: { headers, target },
    begin(cassette) {
      const { method } = request;
      recording = cassette.begin({
        method,
        target,
        headers,
        began,
        scenario: ours?.scenario ?? null,
        probe: ours?.probe ?? null,
      });
      if (ours?.digest === undefined) sendBody(recording, sent);
      else
        recording.requestDigest(
          ours.digest.sha256,
          ours.digest.size,
          ours.digest.parts?.map(restorePart) ?? null,
        );
    },
    async end() {
      if (recording === null) return null;
      if (ours?.answered ?? response.status > 0) respond(recording, entry, received);
      return recording.end(endOf(entry, received));
    },
  };
}

/** The base of the URLs that most requests for `/v1` have; null without such requests. */
export function originOfMost(entries: readonly HarEntry[]): string | null {
  const bases = entries.map(({ request }) => /^(https?:\/\/[^?#]*?)\/v1(?:\/|\?|$)/.exec(request.url)?.[1]);
  return mostNamedFirst(bases.filter((base) => base !== undefined))[0] ?? null;
}

/** Most named first, the origins that were asked for anything. */
export function hostsOf(entries: readonly HarEntry[]): string[] {
  const urls = entries.map(({ request }) => request.url);
  const read = urls.filter((url) => /^https?:/i.test(url) && URL.canParse(url));
  return mostNamedFirst(read.map((url) => new URL(url).origin)).slice(0, MOST_HOSTS);
}

/** Most hosts that an error message names. */
const MOST_HOSTS = 10;

/** Names without repeats, most frequent first. */
function mostNamedFirst(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Of a response without a body. */
const NO_CONTENT = { size: 0, mimeType: '' } as const;

/** The bodies of an entry; null for a response body that the file does not hold. Throws HarError. */
function contentOf(
  { request, response, _assay }: HarEntry,
  place: string,
): readonly [RequestContent, Buffer | null] {
  try {
    return [
      requestContent(request, pairsOf(request.headers)),
      _assay === undefined
        ? responseContent(response, pairsOf(response.headers))
        : exportedContent(response.content ?? NO_CONTENT),
    ];
  } catch (error) {
    if (!(error instanceof NotBase64Error)) throw error;
    throw new HarError(`${place} contains ${error.message}. Save the file again as HAR.`);
  }
}

/** Writes the response of an entry into its recording. */
function respond(recording: Recording, entry: HarEntry, received: Buffer | null): void {
  const { response, _assay: ours } = entry;
  const { status } = response;
  const reason = response.statusText ?? '';
  const bytes = received ?? Buffer.alloc(0);
  const headers =
    ours === undefined ? plainHeaders(response.headers, bytes.length) : pairsOf(response.headers);
  recording.response({ status, reason, headers });
  if (bytes.length === 0) return;
  const pieces = ours?.pieces.length ? ours.pieces : [[0, waited(entry.timings)] as const];
  for (const [i, [from, at]] of pieces.entries()) {
    recording.piece(bytes.subarray(from, pieces[i + 1]?.[0] ?? bytes.length), at);
  }
}

/** The end of the exchange of an entry. */
function endOf({ response, time, _assay: ours }: HarEntry, received: Buffer | null): RecordedEnding {
  if (ours !== undefined) return { ...ours.end, trailers: ours.trailers };
  const error = response._error ?? null;
  // Browsers leave out bodies that they no longer hold: the service did send them.
  if (error === null && response.status > 0 && received === null)
    return { how: 'client-abort', detail: 'the HAR file does not hold the body', at: Math.max(0, time ?? 0) };
  if (response.status > 0 && error === null) return { how: 'complete', at: Math.max(0, time ?? 0) };
  const how = error !== null && /abort/i.test(error) ? 'client-abort' : 'upstream-reset';
  return { how, detail: error, at: Math.max(0, time ?? 0) };
}

/** Writes the request body into a recording, as far as it is known. */
function sendBody(recording: Recording, content: RequestContent): void {
  if (content.kind === 'bytes') recording.requestBody(content.bytes);
  else
    recording.requestDigest(Body.unknownSha256, content.size, content.kind === 'form' ? content.parts : null);
}

/** HAR content is decoded: what speaks of its coding is no longer true. */
function plainHeaders(headers: HarRequest['headers'], size: number): HeaderPairs {
  const kept = pairsOf(headers).filter(([name]) => !/^(?:content-encoding|transfer-encoding)$/i.test(name));
  return firstHeader(kept, 'content-length') === null
    ? kept
    : kept.map(([name, value]) => [name, /^content-length$/i.test(name) ? String(size) : value]);
}

/** The header fields of a request. Of a form that only its parts show, the type may stand beside them alone. */
function typedHeaders({ headers, postData }: HarRequest, { kind }: RequestContent): HeaderPairs {
  const pairs = pairsOf(headers);
  if (kind !== 'form' || firstHeader(pairs, 'content-type') !== null) return pairs;
  return [...pairs, ['content-type', postData?.mimeType ?? 'multipart/form-data']];
}

/** Without the pseudo fields of HTTP/2, which stand in other places. */
function pairsOf(headers: HarRequest['headers']): HeaderPairs {
  return (headers ?? [])
    .filter(({ name }) => !name.startsWith(':'))
    .map(({ name, value }) => [name, value ?? '']);
}

/** Milliseconds from the request to the first byte of the response. */
function waited(timings: HarTimings | null | undefined): number {
  const { blocked, dns, connect, send, wait } = timings ?? {};
  // Some programs write null, or nothing.
  return [blocked, dns, connect, send, wait].reduce<number>((sum, time) => sum + Math.max(0, time ?? 0), 0);
}
