import type { PlacedNote } from '../cassette/cassette.ts';
import { type CassetteWriter, createCassette } from '../cassette/cassette-writer.ts';
import type { Quarantined } from '../cassette/quarantine.ts';
import { MemoryRecorder, type Recording } from '../cassette/recording.ts';
import type { Exchange } from '../exchange.ts';
import { Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import type { TraceHeader } from '../trace.ts';
import {
  addVersionPrefix,
  adviseApiRoot,
  findBaseUrl,
  listOrigins,
  prefixOf,
  withoutDefaultPort,
} from './base-url.ts';
import { type Har, HarError } from './format.ts';
import { type ImportedEntry, importEntry, recordEnd, recordRequestBody } from './imported-entry.ts';
import { readRecordedFile } from './recorded-file.ts';
import type { RecordedFileKind } from './recorded-file-kind.ts';

interface ImportOptions {
  /** URL of the service whose exchanges are imported, with or without `/v1`. Default: that of most `/v1` requests. */
  readonly baseUrl?: string;
  /** Root URL of a service whose paths lack `/v1`. Takes precedence over `baseUrl`. */
  readonly apiRoot?: string | undefined;
  readonly redaction?: RedactorOptions;
  /** Makes the header of the trace, for files that assay did not write. */
  readonly header: (baseUrl: string) => TraceHeader;
}

type ServiceOptions = Pick<ImportOptions, 'baseUrl' | 'apiRoot' | 'header'>;

interface ImportReport extends Omit<ReadTraffic, 'header'> {
  readonly exchanges: number;
  /** Whether `exportHar` wrote the file. */
  readonly isExport: boolean;
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
  const { kind, entries: recordedEntries, ours } = await readRecordedFile(file);
  const rawEntries = recordedEntries.map((entry) => ({
    ...entry,
    request: { ...entry.request, url: withoutDefaultPort(entry.request.url) },
  }));
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
  const prefix = prefixOf(baseUrl);
  const entries = allEntries.flatMap(
    (entry, n) => importEntry(entry, prefix, `${file}: log.entries[${n}]`) ?? [],
  );
  if (entries.length === 0 && ours === undefined && service !== undefined) {
    const origins = listOrigins(allEntries);
    const advice =
      origins.length === 0
        ? 'It has no exchange with any other host: record the traffic again.'
        : `It has exchanges with: ${origins.join(', ')}. Name one of these with its path${apiRoot === undefined ? ', or leave the option out' : ''}.`;
    throw new HarError(`${file} has no exchange over HTTP with ${service}. ${advice}`);
  }
  const header = ours?.header ?? options.header(`${prefix}/v1`);
  return { kind, ours, header, entries, skipped: allEntries.length - entries.length };
}

/**
 * A file that `exportHar` wrote restores its cassette, except for bodies that were too large to export. From other
 * files, each response body becomes one piece, and secrets are replaced as in a recording. Rejects with HarError, with
 * MissingPeer if the file is YAML and the package `yaml` is not installed, with CassetteError if the cassette cannot be
 * written, and with the error of the system if the file cannot be read.
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
  return {
    kind,
    exchanges: entries.length - (quarantined?.exchanges ?? 0),
    isExport: ours !== undefined,
    skipped,
    quarantined,
  };
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
      { isStart: true, imported, at: imported.beginsAt },
      { isStart: false, imported, at: imported.endsAt },
    ])
    .toSorted((a, b) => a.at - b.at || Number(b.isStart) - Number(a.isStart));
  const open = new Map<ImportedEntry, Recording>();
  const exchanges: Exchange[] = [];
  for (const { isStart, imported } of moments) {
    if (isStart) {
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

export interface HarExchanges extends ReadTraffic {
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[];
  /** Start of the first exchange in milliseconds since 1970; 0 if unknown. */
  readonly began: number;
}

/**
 * Reads a file that is only judged: no cassette is written, but secrets are replaced. Null if assay exported the file,
 * because `importHar` reads such files. Rejects with HarError, with MissingPeer if the file is YAML and the package
 * `yaml` is not installed, and with the error of the system if the file cannot be read.
 */
export async function readHarExchanges(
  file: string,
  options: ServiceOptions & { readonly redactor: Redactor },
): Promise<HarExchanges | null> {
  const { kind, ours, header, entries, skipped } = await openHar(file, options);
  if (ours !== undefined) return null;
  const { redactor } = options;
  // The credentials of later requests must be known when earlier bodies are stored: nothing is searched again.
  for (const { head } of entries) {
    redactor.redactHeaders(head.headers);
    redactor.redactTarget(head.target);
  }
  const exchanges = await recordEntries(entries, new MemoryRecorder(redactor));
  const began = entries.reduce((first, { beginsAt }) => Math.min(first, beginsAt), Number.POSITIVE_INFINITY);
  return { kind, header, exchanges, began: Number.isFinite(began) ? began : 0, skipped };
}
