// One file or folder of recorded traffic: a cassette, or a HAR file. Small HAR files stay in memory; only large ones become a
// cassette in a temporary folder.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cassette, openCassette } from '../../exchange/cassette/read/cassette.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type HarExchanges, readHarExchanges } from '../../exchange/har/in-memory.ts';
import { importHar } from '../../exchange/har/read.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { recordingHeader } from '../../proxy/record/recording-header.ts';
import { cassetteFolderOf } from './recorded-traffic.ts';

/** One trace of recorded traffic. */
export interface TrafficPart {
  /** As it was given. */
  readonly path: string;
  readonly header: TraceHeader;
  /** How many exchanges it holds. */
  readonly size: number;
  /** When its first exchange began, in milliseconds since 1970; 0 where that is not known. */
  readonly began: number;
  /** In the order in which they ended; reading begins anew with each call. `isWanted`: which of them, by their place by start, from 0. */
  items(isWanted?: (k: number) => boolean): AsyncIterable<TraceItem>;
  /** The k-th exchange by start, from 0. */
  exchange(k: number): Exchange;
  /** When that exchange began, in milliseconds since 1970; 0 where that is not known. */
  beganAt(k: number): number;
  /** Closes files, and deletes a cassette that was made for this. */
  close(): void;
}

/** A HAR file that was opened: how many of its exchanges are judged, and how many were left out. */
export interface ImportedHar {
  readonly path: string;
  readonly exchanges: number;
  readonly skipped: number;
  /** Left out because a known secret in them could not be replaced. */
  readonly withSecret: number;
}

/** The cassette in a folder, or in the folder of a report. Rejects with CassetteError. */
export async function cassettePart(path: string): Promise<TrafficPart> {
  return partOf(path, await openCassette(cassetteFolderOf(path) ?? path), () => {});
}

/** A part that reads an open cassette; `closed` is called when it is closed. */
function partOf(path: string, cassette: Cassette, closed: () => void): TrafficPart {
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
      closed();
    },
  };
}

/** HAR files of up to so many bytes are read in memory, until so many are: the others become cassettes on the disk. */
const IN_MEMORY = { ofOne: 16 * 1024 * 1024, ofAll: 48 * 1024 * 1024 } as const;

/** Opens HAR files, whose secrets are replaced by one redactor. */
export class HarReader {
  readonly #redactor = new Redactor({ environment: process.env });
  /** Bytes of the files that are in memory. */
  #held = 0;

  /** Adds what became of the file to `har`. Rejects with HarError and CassetteError. */
  async open(path: string, har: ImportedHar[]): Promise<TrafficPart> {
    const { size } = statSync(path);
    const isSmall = size <= IN_MEMORY.ofOne && this.#held + size <= IN_MEMORY.ofAll;
    const read = isSmall ? await readHarExchanges(path, { header, redactor: this.#redactor }) : null;
    if (read === null) return this.#cassetteOf(path, har);
    const { exchanges, skipped } = read;
    har.push({ path, exchanges: exchanges.length, skipped, withSecret: 0 });
    this.#held += size;
    return inMemory(path, read);
  }

  /** A cassette in a temporary folder. */
  async #cassetteOf(path: string, har: ImportedHar[]): Promise<TrafficPart> {
    const folder = mkdtempSync(join(tmpdir(), 'assay-har-'));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    try {
      const { exchanges, skipped, quarantined } = await importHar(path, join(folder, 'cassette'), {
        header,
        redaction: { environment: process.env },
      });
      har.push({ path, exchanges, skipped, withSecret: quarantined?.exchanges ?? 0 });
      return partOf(path, await openCassette(join(folder, 'cassette')), remove);
    } catch (error) {
      remove();
      throw error;
    }
  }
}

/** The header of traffic that is not a run of assay. */
function header(baseUrl: string): TraceHeader {
  return recordingHeader(baseUrl);
}

/** A HAR file whose exchanges are in memory. */
function inMemory(path: string, { header: facts, exchanges, began }: HarExchanges): TrafficPart {
  const byStart = exchanges.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  return {
    path,
    header: facts,
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
    // Only the time of the first is kept.
    beganAt: (k) => (k === 0 ? began : 0),
    close: () => {},
  };
}
