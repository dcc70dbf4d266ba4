// Cuts cassettes into parts that are judged anywhere: exchanges about one resource come into one part.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeExcerpt } from '../../exchange/cassette/excerpt.ts';
import { openCassette } from '../../exchange/cassette/read/cassette.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { linksIn, NameLinks } from '../../judge/partial/name-links.ts';
import {
  isSeenBy,
  planColumns,
  SHARED,
  type TrafficPlaces,
  TrafficPlan,
} from '../../judge/partial/traffic-plan.ts';
import type { JudgeRecordedOptions, RecordedToJudge } from '../judging/judge-recorded.ts';
import { UsageError } from '../setup/usage-error.ts';
import {
  cassetteFolderOf,
  commonHeader,
  openRecordedTraffic,
  type RecordedTraffic,
  renumbered,
} from '../traffic/recorded-traffic.ts';
import { cassettePart, type TrafficPart } from '../traffic/traffic-part.ts';
import type { PartialSource } from './partial-verdict.ts';

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

// Opens one part of a partition: its exchanges have the numbers that they had in the cassettes that were cut.

/** The traffic of a part, and the share of all traffic that it is. */
export interface OpenedPart extends RecordedToJudge {
  /** Which part it is, and of which cassettes. */
  readonly file: PartitionFile;
  /** The exchanges that it judges. */
  readonly share: NonNullable<JudgeRecordedOptions['share']>;
  /** Closes its cassettes. */
  close(): void;
}

/** Whether a path is the folder of a part. */
export function isPartOfPartition(path: string): boolean {
  return existsSync(join(path, PARTITION_FILE));
}

/** Opens the part in a folder. Throws UsageError where a file of it is missing or is not what its name says; rejects with CassetteError. */
export async function openPart(folder: string): Promise<OpenedPart> {
  // as: written by this module's counterpart; another version is refused
  const file = readJson(join(folder, PARTITION_FILE)) as PartitionFile;
  if (file.format !== 1)
    throw new UsageError(`${folder} was cut by another version of assay. Cut the cassettes again.`);
  const cassettes: TrafficPart[] = [];
  const close = () => {
    for (const cassette of cassettes) cassette.close();
  };
  try {
    for (const n of file.sources.keys()) cassettes.push(await cassettePart(join(folder, String(n + 1))));
    const numbers = file.sources.map((_, n) => numbersOf(folder, n));
    return {
      file,
      header: commonHeader(cassettes),
      sources: file.sources,
      share: shareOf(file, numbers),
      traces: () =>
        cassettes.map((cassette, n) => itemsOf(cassette, numbers[n] ?? [], file.sources[n]?.before ?? 0)),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The place of each exchange: those that the part does not hold are judged elsewhere. */
function shareOf(
  { parts, index, sources, links }: PartitionFile,
  numbers: readonly (readonly OriginalNumbers[])[],
): OpenedPart['share'] {
  const last = sources.at(-1);
  const elsewhere = (index + 1) % parts;
  const places = new Uint16Array((last?.before ?? 0) + (last?.size ?? 0) + 1).fill(elsewhere);
  for (const [n, own] of numbers.entries())
    for (const [i, , , place] of own) places[(sources[n]?.before ?? 0) + i] = place;
  const known = new NameLinks();
  for (const [name, to] of links) known.link(name, to);
  return { index, places: { parts, places, links: known.slots } };
}

/** The items of one cassette of the part. */
async function* itemsOf(
  cassette: TrafficPart,
  numbers: readonly OriginalNumbers[],
  before: number,
): AsyncGenerator<TraceItem> {
  for await (const item of cassette.items())
    yield renumbered(isNote(item) ? item : asBefore(item, numbers), before);
}

/** An exchange with the numbers that it had in the cassette that was cut. */
function asBefore(
  exchange: Exclude<TraceItem, { readonly note: string }>,
  numbers: readonly OriginalNumbers[],
): TraceItem {
  const [i = 0, after = 0, ended = 0] = numbers[Number(exchange.id.slice(1)) - 1] ?? [];
  return { ...exchange, id: `e${i}`, after, ended };
}

/** The numbers of the exchanges of the n-th cassette, from 0. */
function numbersOf(folder: string, n: number): readonly OriginalNumbers[] {
  // as: written beside the cassette
  return readJson(join(folder, `${n + 1}.numbers.json`)) as readonly OriginalNumbers[];
}

/** The content of a file of the part. Throws UsageError. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read. Cut the cassettes again.`, { cause: error });
  }
}

/**
 * Adds the exchanges of all traces to a plan, one trace after the other. Notes are left out, as they are about no resource.
 * One exchange is in memory at a time.
 */
export async function planTraffic(
  plan: TrafficPlan,
  traces: ReturnType<RecordedTraffic['traces']>,
): Promise<void> {
  for (const trace of traces) {
    for await (const item of trace) if (!isNote(item)) plan.add(item);
    plan.next();
  }
}
