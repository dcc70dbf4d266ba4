import type { Quarantined } from '../cassette/quarantine.ts';
import { type CassetteWriter, createCassette } from '../cassette/write/cassette-writer.ts';
import { Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import type { TraceHeader } from '../trace.ts';
import { hostsOf, type ImportedEntry, importEntry, originOfMost } from './entry.ts';
import { type Har, HarError, type PlacedNote } from './format.ts';
import { readRecordedFile } from './formats/recorded-file.ts';

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

/** Reads a file and chooses the entries of one service. Rejects with HarError, and with MissingPeer for YAML. */
export async function openHar(
  file: string,
  options: Pick<ImportOptions, 'baseUrl' | 'header'>,
): Promise<OpenHar> {
  const { entries: all, ours } = await readRecordedFile(file);
  const baseUrl = ours?.header.target.baseUrl ?? options.baseUrl ?? originOfMost(all);
  if (baseUrl === null)
    throw new HarError(
      `${file} has no request for a path that begins with /v1. Name the service with a base URL.`,
    );
  const prefix = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const entries = all.flatMap((entry, n) => importEntry(entry, prefix, `${file}: log.entries[${n}]`) ?? []);
  if (entries.length === 0 && ours === undefined && options.baseUrl !== undefined) {
    const hosts = hostsOf(all).join(', ') || 'none at all';
    throw new HarError(
      `${file} has no whole exchange with ${options.baseUrl}. The hosts in it: ${hosts}. Name one of them with its path, or none.`,
    );
  }
  const header = ours?.header ?? options.header(`${prefix}/v1`);
  return { ours, header, entries, skipped: all.length - entries.length };
}

/**
 * Makes a cassette of a HAR file; one that `exportHar` wrote comes back byte for byte. Files of browsers and other proxies contain less: such exchanges have their body in one piece, and secrets are taken out as when recording. Throws HarError when the file is not a HAR file, or has nothing of the service that was named; CassetteError when the cassette cannot be written.
 */
export async function importHar(file: string, dir: string, options: ImportOptions): Promise<ImportReport> {
  const { ours, header, entries, skipped } = await openHar(file, options);
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
