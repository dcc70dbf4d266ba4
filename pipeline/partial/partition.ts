// Cuts cassettes into parts that are judged anywhere: exchanges about one resource come into one part.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCassette } from '../../exchange/cassette/cassette.ts';
import { writeExcerpt } from '../../exchange/cassette/excerpt.ts';
import { linksIn } from '../../judge/partial/name-links.ts';
import {
  isSeenBy,
  planColumns,
  SHARED,
  type TrafficPlaces,
  TrafficPlan,
} from '../../judge/partial/traffic-plan.ts';
import { cassetteFolderOf } from '../traffic/cassette-folder.ts';
import { openRecordedTraffic, type RecordedTraffic } from '../traffic/recorded-traffic.ts';
import { UsageError } from '../usage-error.ts';
import { planTraffic } from './plan-traffic.ts';
import type { PartialSource } from './trace-part.ts';

/** File in the folder of a part, which makes it one. */
export const PARTITION_FILE = 'partition.json';

/** Everything about a part that its cassettes do not say: content of its file. */
export interface PartitionFile {
  readonly format: 1;
  /** From 0. */
  readonly index: number;
  readonly parts: number;
  /** The cassettes that were cut; the n-th, from 1, is in the folder `n` of the part. */
  readonly sources: readonly PartialSource[];
  /** When the first request of all was sent, in milliseconds since 1970; null where that is not known. */
  readonly began: number | null;
  /** Numbers of names of one resource, see `NameLinks`. */
  readonly links: readonly (readonly [name: number, to: number])[];
}

/** Of an exchange of a part, in the order of its cassette: its numbers in the cassette that was cut, and its place as in `TrafficPlaces`. */
export type OriginalNumbers = readonly [i: number, after: number, ended: number, place: number];

/** How cassettes are cut. */
interface PartitionOptions {
  readonly parts: number;
  /** Folder that is made; the parts are folders in it, from 0. */
  readonly out: string;
}

/**
 * Writes the parts, and gives the number of exchanges in each; those that several parts see are counted in each of them. Memory: 14 bytes
 * for each exchange, beside the index of a cassette. Throws UsageError where the folder is not empty, and for recordings that
 * are no cassettes; rejects with CassetteError.
 */
export async function partition(
  paths: readonly string[],
  { parts, out }: PartitionOptions,
): Promise<readonly number[]> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new UsageError(`${out} is not empty. Name a new folder with --out.`);
  const traffic = await openRecordedTraffic(paths);
  try {
    if (traffic.har.length > 0)
      throw new UsageError('Only cassettes can be cut: make one of a HAR file with assay har import.');
    const places = await planned(traffic, parts);
    const sizes = Array.from({ length: parts }, () => 0);
    for (let index = 0; index < parts; index += 1) {
      const folder = join(out, String(index));
      mkdirSync(folder, { recursive: true });
      for (const [n, source] of traffic.sources.entries())
        sizes[index] =
          (sizes[index] ?? 0) + (await writePart(source, join(folder, String(n + 1)), { index, places }));
      // Last, so that a part without it is known to be unfinished.
      writeJson(join(folder, PARTITION_FILE), partFile(traffic, places, index));
    }
    return sizes;
  } finally {
    traffic.close();
  }
}

/** Decides which part each exchange belongs to. */
async function planned(traffic: RecordedTraffic, parts: number): Promise<TrafficPlaces> {
  const plan = new TrafficPlan(planColumns(traffic.size));
  await planTraffic(plan, traffic.traces());
  return plan.places(parts);
}

/** The file that makes a folder a part. */
function partFile(traffic: RecordedTraffic, { parts, links }: TrafficPlaces, index: number): PartitionFile {
  const { sources, began } = traffic;
  return { format: 1, index, parts, sources, began, links: [...linksIn(links)] };
}

/** Writes the exchanges of one cassette that a part sees; gives their number. */
async function writePart(
  { path, before }: PartialSource,
  dir: string,
  { index, places }: { readonly index: number; readonly places: TrafficPlaces },
): Promise<number> {
  const cassette = await openCassette(cassetteFolderOf(path) ?? path);
  try {
    const isSeen = isSeenBy(places, index);
    const seen = Array.from({ length: cassette.size }, (_, k) => k).filter((k) => isSeen(before + k + 1));
    // Notes are about the run, not about an exchange: the first part has them.
    writeExcerpt(cassette, dir, { places: seen, notes: index === 0 ? 'with-notes' : 'without-notes' });
    const numbers = seen.map((k): OriginalNumbers => {
      const { after, ended } = cassette.order(k);
      return [k + 1, after, ended, places.places[before + k + 1] ?? SHARED];
    });
    writeJson(`${dir}.numbers.json`, numbers);
    return seen.length;
  } finally {
    cassette.close();
  }
}

/** Writes one line of JSON. */
function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}
