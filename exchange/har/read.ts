import type { PlacedNote } from '../cassette/cassette.ts';
import { type CassetteWriter, createCassette } from '../cassette/cassette-writer.ts';
import type { Quarantined } from '../cassette/quarantine.ts';
import {
  MemoryRecorder,
  type RecordedEnding,
  type Recording,
  type RequestHead,
} from '../cassette/recording.ts';
import { restorePart } from '../cassette/stored-body.ts';
import type { Exchange, HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { firstHeader, withContentLength } from '../http/headers.ts';
import { Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import type { TraceHeader } from '../trace.ts';
import { addVersionPrefix, adviseApiRoot, findBaseUrl, listOrigins } from './base-url.ts';
import {
  exportedContent,
  NotBase64Error,
  type RequestContent,
  requestContent,
  responseContent,
} from './content.ts';
import { type Har, type HarEntry, HarError, type HarRequest, type HarTimings } from './format.ts';
import { readRecordedFile } from './recorded-file.ts';
import type { RecordedFileKind } from './recorded-file-kind.ts';

interface ImportOptions {
  /** URL of the service whose exchanges are imported, with or without `/v1`. Default: that of most `/v1` requests. */
  readonly baseUrl?: string;
  /** Root URL of a service whose paths lack `/v1`. Excludes `baseUrl`. */
  readonly apiRoot?: string | undefined;
  readonly redaction?: RedactorOptions;
  /** Header of the cassette, for files that assay did not write. */
  readonly header: (baseUrl: string) => TraceHeader;
}

type ServiceOptions = Pick<ImportOptions, 'baseUrl' | 'apiRoot' | 'header'>;

interface ImportReport extends Omit<ReadTraffic, 'header'> {
  readonly exchanges: number;
  readonly quarantined: Quarantined | null;
}

interface ReadTraffic {
  readonly kind: RecordedFileKind;
  readonly header: TraceHeader;
  readonly skipped: number;
}

interface OpenHar extends ReadTraffic {
  readonly ours: NonNullable<Har['log']['_assay']> | undefined;
  readonly entries: readonly ImportedEntry[];
}

async function openHar(file: string, options: ServiceOptions): Promise<OpenHar> {
  const { kind, entries: rawEntries, ours } = await readRecordedFile(file);
  const { apiRoot } = options;
  if (ours !== undefined && apiRoot !== undefined)
    throw new HarError(`${file} was exported by assay, with the paths as recorded: leave out --api-root.`);
  if (ours === undefined && rawEntries.length === 0)
    throw new HarError(`${file} has no exchange over HTTP. Record the traffic again.`);
  const allEntries = apiRoot === undefined ? rawEntries : addVersionPrefix(rawEntries, apiRoot);
  const service = apiRoot ?? options.baseUrl;
  const baseUrl = ours?.header.target.baseUrl ?? service ?? findBaseUrl(allEntries);
  if (baseUrl === null)
    throw new HarError(`${file} has no request for a path with /v1. ${adviseApiRoot(allEntries)}`);
  const prefix = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const entries = allEntries.flatMap(
    (entry, n) => importEntry(entry, prefix, `${file}: log.entries[${n}]`) ?? [],
  );
  if (entries.length === 0 && ours === undefined && service !== undefined) {
    const origins = listOrigins(allEntries);
    const advice =
      origins.length === 0
        ? 'It has no exchange with any other host: record the traffic again.'
        : `It has exchanges with: ${origins.join(', ')}. Name one of these with its path${apiRoot === undefined ? ', or leave the option out' : ''}.`;
    throw new HarError(`${file} has no complete exchange with ${service}. ${advice}`);
  }
  const header = ours?.header ?? options.header(`${prefix}/v1`);
  return { kind, ours, header, entries, skipped: allEntries.length - entries.length };
}

/**
 * A file that `exportHar` wrote is restored byte for byte. From other files, each body becomes one piece, and secrets
 * are replaced as in a recording. Rejects with HarError, with MissingPeer if the file is YAML and the package
 * `yaml` is not installed, with CassetteError if the cassette cannot be written, and with the error of the system if
 * the file cannot be read.
 */
export async function importHar(file: string, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { kind, ours, header, entries, skipped } = await openHar(file, options);
  const redactor = ours === undefined ? new Redactor(options.redaction) : Redactor.none;
  const cassette = createCassette(dir, header, { redactor, collect: false });
  const notes = [...(ours?.notes ?? [])];
  try {
    await recordEntries(entries, cassette, () => addNotes(cassette, notes, cassette.exchanges + 1));
    addNotes(cassette, notes, Number.POSITIVE_INFINITY);
  } catch (error) {
    cassette.finish();
    throw error;
  }
  const quarantined = cassette.finish();
  return { kind, exchanges: entries.length - (quarantined?.exchanges ?? 0), skipped, quarantined };
}

function addNotes(cassette: CassetteWriter, notes: PlacedNote[], before: number): void {
  for (let next = notes[0]; next !== undefined && next.before <= before; next = notes[0]) {
    notes.shift();
    const { before: _, after: __, ...note } = next;
    cassette.note(note);
  }
}

/**
 * The order comes from ordinals if they are known, otherwise from the clock. Exchanges whose times touch count as
 * overlapping. Resolves to the exchanges that the recorder collects.
 */
async function recordEntries(
  entries: readonly ImportedEntry[],
  recorder: MemoryRecorder,
  beforeBegin: () => void = () => {},
): Promise<Exchange[]> {
  const moments = entries
    .flatMap((imported) => [
      { begins: true, imported, at: imported.beginsAt },
      { begins: false, imported, at: imported.endsAt },
    ])
    .toSorted((a, b) => a.at - b.at || Number(b.begins) - Number(a.begins));
  const open = new Map<ImportedEntry, Recording>();
  const exchanges: Exchange[] = [];
  for (const { begins, imported } of moments) {
    if (begins) {
      beforeBegin();
      const recording = recorder.begin(imported.head);
      open.set(imported, recording);
      recordRequestBody(recording, imported);
      continue;
    }
    const recording = open.get(imported);
    open.delete(imported);
    const exchange = recording === undefined ? null : await recordEnd(recording, imported);
    if (exchange !== null) exchanges.push(exchange);
  }
  return exchanges;
}

interface ImportedEntry {
  readonly entry: HarEntry;
  /** Ordinal among all starts and ends in a file that `exportHar` wrote, otherwise milliseconds since 1970. */
  readonly beginsAt: number;
  readonly endsAt: number;
  readonly head: RequestHead;
  readonly requestBody: RequestContent;
  readonly responseBody: Buffer | null;
}

/**
 * Returns null for entries of other services and web sockets. `prefix` is the URL up to `/v1`; `place` names the entry
 * in messages. Throws HarError if a body cannot be decoded.
 */
function importEntry(entry: HarEntry, prefix: string, place: string): ImportedEntry | null {
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
    endsAt: ours === undefined ? began + Math.max(0, entry.time ?? 0) : ours.ended,
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
        : exportedContent(response.content ?? { size: 0, mimeType: '' }),
    ];
  } catch (error) {
    if (!(error instanceof NotBase64Error)) throw error;
    throw new HarError(`${place} contains ${error.message}. Save the file again as HAR.`);
  }
}

function recordEnd(recording: Recording, { entry, responseBody }: ImportedEntry): Promise<Exchange | null> {
  const { response, _assay: ours } = entry;
  if (ours?.answered ?? response.status > 0) {
    const { status } = response;
    const reason = response.statusText ?? '';
    const bytes = responseBody ?? Buffer.alloc(0);
    const headers =
      ours === undefined ? decodedHeaders(response.headers, bytes.length) : pairsOf(response.headers);
    recording.response({ status, reason, headers });
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

function recordRequestBody(recording: Recording, { entry, requestBody }: ImportedEntry): void {
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
  if (kind !== 'form' || firstHeader(pairs, 'content-type') !== null) return pairs;
  return [...pairs, ['content-type', postData?.mimeType ?? 'multipart/form-data']];
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

// For a file that is only judged: there is no cassette, but secrets are still replaced.

export interface HarExchanges extends ReadTraffic {
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[];
  /** Start of the first exchange in milliseconds since 1970; 0 if unknown. */
  readonly began: number;
}

/**
 * Null if assay exported the file, because `importHar` reads such files. Rejects with HarError, with
 * MissingPeer if the file is YAML and the package `yaml` is not installed, and with the error of the system if the file
 * cannot be read.
 */
export async function readHarExchanges(
  file: string,
  options: ServiceOptions & { readonly redactor: Redactor },
): Promise<HarExchanges | null> {
  const { kind, ours, header, entries, skipped } = await openHar(file, options);
  if (ours !== undefined) return null;
  const { redactor } = options;
  // All secrets must be known before anything is stored, because nothing is searched again.
  for (const { head } of entries) {
    redactor.redactHeaders(head.headers);
    redactor.redactTarget(head.target);
  }
  const exchanges = await recordEntries(entries, new MemoryRecorder(redactor));
  const began = entries.reduce((first, { beginsAt }) => Math.min(first, beginsAt), Number.POSITIVE_INFINITY);
  return { kind, header, exchanges, began: Number.isFinite(began) ? began : 0, skipped };
}
