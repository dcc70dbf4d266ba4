import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import type { Quarantined } from '../cassette/quarantine.ts';
import { type CassetteWriter, createCassette } from '../cassette/write/cassette-writer.ts';
import { isTooDeep } from '../json-depth.ts';
import { jsonSyntaxError } from '../json-syntax-error.ts';
import { Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import type { TraceHeader } from '../trace.ts';
import { hostsOf, type ImportedEntry, importEntry, originOfMost } from './entry.ts';
import { isLogExtension, wrongMember } from './entry-shape.ts';
import { type Har, HarError, type PlacedNote } from './format.ts';

/** Options of an import. */
export interface ImportOptions {
  /** Only exchanges with this service are taken, with or without `/v1`. Default: the one that most requests for `/v1` went to. */
  readonly baseUrl?: string;
  /** Options of the redactor through which all content passes. */
  readonly redaction?: RedactorOptions;
  /** Header of the cassette, for files that are not ours. */
  readonly header: (baseUrl: string) => TraceHeader;
}

/** Result of an import. */
export interface ImportReport {
  /** Exchanges that were written. */
  readonly exchanges: number;
  /** Entries of other hosts, and of no use: web sockets, data URLs. */
  readonly skipped: number;
  /** Exchanges that were left out because of a known secret; null when none was. */
  readonly quarantined: Quarantined | null;
}

/** A file of which the entries were read: those of one service, on their way into a cassette or into memory. */
export interface OpenHar {
  /** Set for a file that `exportHar` wrote. */
  readonly ours: NonNullable<Har['log']['_assay']> | undefined;
  readonly header: TraceHeader;
  readonly entries: readonly ImportedEntry[];
  /** Entries of other hosts, and of no use. */
  readonly skipped: number;
}

/** Reads a file and chooses the entries of one service. Throws HarError. */
export function openHar(file: string, options: Pick<ImportOptions, 'baseUrl' | 'header'>): OpenHar {
  const { log } = readHar(file);
  const ours = log._assay;
  const baseUrl = ours?.header.target.baseUrl ?? options.baseUrl ?? originOfMost(log.entries);
  if (baseUrl === null)
    throw new HarError(
      `${file} has no request for a path that begins with /v1. Name the service with a base URL.`,
    );
  const prefix = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const entries = log.entries.flatMap(
    (entry, n) => importEntry(entry, prefix, `${file}: log.entries[${n}]`) ?? [],
  );
  if (entries.length === 0 && ours === undefined && options.baseUrl !== undefined) {
    const hosts = hostsOf(log.entries).join(', ') || 'none at all';
    throw new HarError(
      `${file} has no whole exchange with ${options.baseUrl}. The hosts in it: ${hosts}. Name one of them with its path, or none.`,
    );
  }
  const header = ours?.header ?? options.header(`${prefix}/v1`);
  return { ours, header, entries, skipped: log.entries.length - entries.length };
}

/**
 * Makes a cassette of a HAR file; one that `exportHar` wrote comes back byte for byte. Files of browsers and other proxies contain less: such exchanges have their body in one piece, and secrets are taken out as when recording. Throws HarError when the file is not a HAR file, or has nothing of the service that was named; CassetteError when the cassette cannot be written.
 */
export async function importHar(file: string, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { ours, header, entries, skipped } = openHar(file, options);
  const redactor = ours === undefined ? new Redactor(options.redaction) : Redactor.none;
  const cassette = createCassette(dir, header, { redactor, collect: false });
  const notes = [...(ours?.notes ?? [])];
  try {
    for (const { begins, exchange } of order(entries)) {
      if (begins) {
        addNotes(cassette, notes, cassette.exchanges + 1);
        exchange.begin(cassette);
      } else await exchange.end();
    }
    addNotes(cassette, notes, Number.POSITIVE_INFINITY);
  } catch (error) {
    cassette.finish();
    throw error;
  }
  const quarantined = cassette.finish();
  return { exchanges: entries.length - (quarantined?.exchanges ?? 0), skipped, quarantined };
}

/** Writes down the notes that stand before the exchange that is to begin. */
function addNotes(cassette: CassetteWriter, notes: PlacedNote[], before: number): void {
  for (let next = notes[0]; next !== undefined && next.before <= before; next = notes[0]) {
    notes.shift();
    const { before: _, after: __, ...remark } = next;
    cassette.note(remark);
  }
}

/** Begins and ends as they happened: by ordinals where they are known, else by the clock; what touches overlaps. */
export function order(imported: readonly ImportedEntry[]): { begins: boolean; exchange: ImportedEntry }[] {
  const moments = imported.flatMap((exchange) => [
    { begins: true, exchange, at: exchange.beginsAt },
    { begins: false, exchange, at: exchange.endsAt },
  ]);
  return moments.toSorted((a, b) => a.at - b.at || Number(b.begins) - Number(a.begins));
}

/** Path of a file of a cassette, which is given by mistake for a HAR file. */
const PART = /(?:^|[\\/])(?:cassette|timing|journal)\.jsonl$/;

/** Reads and checks a file. Throws HarError. */
function readHar(file: string): Har {
  let value: unknown;
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    if (isTooDeep(text)) throw new Error('it is nested in more levels than are read');
    value = JSON.parse(text);
  } catch (error) {
    if (PART.test(file))
      throw new HarError(`${file} is a part of a cassette, which is a folder. Name that: ${dirname(file)}.`);
    const why = error instanceof SyntaxError ? jsonSyntaxError(error) : messageOf(error);
    throw new HarError(`${file} is not a HAR file: ${why}. Save it again as HAR.`);
  }
  if (!isHar(value))
    throw new HarError(`${file} is JSON, but no HAR file: it has no log with entries. Save it again as HAR.`);
  const { entries, _assay: ours } = value.log;
  if (ours !== undefined && !isLogExtension(ours))
    throw new HarError(`${file}: log._assay is not what assay writes. Export the cassette again.`);
  for (const [n, entry] of entries.entries()) {
    const member = wrongMember(entry);
    if (member === null) continue;
    const place = `log.entries[${n}]${member === '' ? '' : `.${member}`}`;
    throw new HarError(
      `${file}: ${place} is missing or has another type than in HAR 1.2. Save it again as HAR.`,
    );
  }
  // as: all members that are read were looked at
  return value as unknown as Har;
}

/** A HAR file of which the entries are not checked yet. */
interface UncheckedHar {
  readonly log: { readonly entries: readonly unknown[]; readonly _assay?: unknown };
}

/** Whether a value has a log with entries, whatever they are. */
function isHar(value: unknown): value is UncheckedHar {
  const log = typeof value === 'object' && value !== null && 'log' in value ? value.log : null;
  return typeof log === 'object' && log !== null && 'entries' in log && Array.isArray(log.entries);
}
