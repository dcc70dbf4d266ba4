// One file or folder of recorded traffic. Small files of other recorders stay in memory; large ones, and files that
// assay exported, become temporary cassettes.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { holdsRecording, recordingDir } from '../../exchange/cassette/folder.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { HarExchanges } from '../../exchange/har/read.ts';
import type { RecordedFileKind } from '../../exchange/har/recorded-file-kind.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { recordingHeader } from '../../proxy/record/recording-header.ts';

/** Files of other recorders are kept in memory up to `perFile` bytes each and `total` bytes together. */
const MAX_HELD_BYTES = { perFile: 16 * 1024 * 1024, total: 48 * 1024 * 1024 } as const;

export interface TrafficPart {
  readonly path: string;
  /** The recorded context; for a file that assay did not write, the defaults with the base URL of its traffic. */
  readonly header: TraceHeader;
  readonly size: number;
  /** When the traffic began, as Unix time in milliseconds; 0 if unknown. */
  readonly began: number;
  /** Items in the order of their ends; each call starts over. `isWanted` selects exchanges by start, from 0. */
  items(isWanted?: (k: number) => boolean): AsyncIterable<TraceItem>;
  /** The k-th exchange by start, from 0. Throws if there is none. */
  exchange(k: number): Exchange;
  /** When the k-th exchange began, as Unix time in milliseconds; 0 if unknown. */
  beganAt(k: number): number;
  /** Closes the files, and deletes a temporary cassette. */
  close(): void;
}

export interface ImportedFile {
  readonly path: string;
  /** Format of the file, as reports name it: `VCR cassette`. */
  readonly kind: RecordedFileKind;
  readonly exchanges: number;
  /** Whether assay exported the file, which then has the pieces and the compression of responses. */
  readonly isExport: boolean;
  /** Number of entries of other hosts, and of entries that cannot be imported, such as web sockets. */
  readonly skipped: number;
  /** Number of exchanges left out because a known secret in them could not be replaced. */
  readonly withSecret: number;
}

/** The cassette in a folder, or in the folder of a report. Rejects with CassetteError. */
export async function openCassettePart(path: string): Promise<TrafficPart> {
  return cassetteAsPart(path, await openCassette(cassetteFolderOf(path) ?? path), () => {});
}

/** The folder itself or its subfolder `cassette`, whichever holds a cassette, finished or not; null if neither does. */
export function cassetteFolderOf(dir: string): string | null {
  return [dir, join(dir, 'cassette')].find((path) => [path, recordingDir(path)].some(holdsRecording)) ?? null;
}

function cassetteAsPart(path: string, cassette: Cassette, onClose: () => void): TrafficPart {
  return {
    path,
    header: cassette.header,
    size: cassette.size,
    began: cassette.size === 0 ? 0 : cassette.began(0),
    items: (isWanted) => cassette.items(isWanted),
    exchange: (k) => cassette.exchange(k),
    beganAt: (k) => cassette.began(k),
    close: () => {
      cassette.close();
      onClose();
    },
  };
}

/** Returns a function that opens a HAR file or the like and lists it in `imported`, or rejects as `importHar` does. */
export function createFileImporter(apiRoot: string | undefined, imported: ImportedFile[]) {
  const redactor = new Redactor({ environment: process.env });
  const options = { header: recordingHeader, apiRoot };
  let heldBytes = 0;
  return async (path: string): Promise<TrafficPart> => {
    // Loaded only here, because the recorder and the secret patterns that it needs would slow a check of a cassette.
    const { importHar, readHarExchanges } = await import('../../exchange/har/read.ts');
    const { size } = statSync(path);
    const isSmall = size <= MAX_HELD_BYTES.perFile && heldBytes + size <= MAX_HELD_BYTES.total;
    const inMemory = isSmall ? await readHarExchanges(path, { ...options, redactor }) : null;
    if (inMemory !== null) {
      const { kind, exchanges, skipped } = inMemory;
      imported.push({ path, kind, exchanges: exchanges.length, isExport: false, skipped, withSecret: 0 });
      heldBytes += size;
      return exchangesAsPart(path, inMemory);
    }
    const folder = mkdtempSync(join(tmpdir(), 'assay-har-'));
    const cassette = join(folder, 'cassette');
    const remove = () => rmSync(folder, { recursive: true, force: true });
    try {
      const importOptions = { ...options, redaction: { environment: process.env } };
      const { quarantined, ...imports } = await importHar(path, cassette, importOptions);
      imported.push({ path, ...imports, withSecret: quarantined?.exchanges ?? 0 });
      return cassetteAsPart(path, await openCassette(cassette), remove);
    } catch (error) {
      remove();
      throw error;
    }
  };
}

function exchangesAsPart(path: string, { header, exchanges, began }: HarExchanges): TrafficPart {
  const byStart = exchanges.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  return {
    path,
    header,
    size: exchanges.length,
    began,
    async *items(isWanted = () => true) {
      for (const exchange of exchanges) if (isWanted(Number(exchange.id.slice(1)) - 1)) yield exchange;
    },
    exchange: (k) => {
      const exchange = byStart[k];
      if (exchange === undefined) throw new Error(`${path} has no exchange e${k + 1}`);
      return exchange;
    },
    // Only the time of the first exchange is kept.
    beganAt: (k) => (k === 0 ? began : 0),
    close: () => {},
  };
}
