// Cuts cassettes into parts that can be judged anywhere. All exchanges that concern one resource are in the same part.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openCassette } from '../../exchange/cassette/cassette.ts';
import { writeExcerpt } from '../../exchange/cassette/excerpt.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { linksIn, NameLinks } from '../../judge/partial/name-links.ts';
import {
  createPlanColumns,
  makeSeenFilter,
  SHARED,
  type TrafficPlaces,
  TrafficPlan,
} from '../../judge/partial/traffic-plan.ts';
import type { ResourceShare, TrafficToJudge } from '../judging/judge-recorded.ts';
import { UsageError } from '../setup/usage-error.ts';
import { joinHeaders } from '../traffic/join-headers.ts';
import { type RecordedTraffic, renumberItem, withRecordedTraffic } from '../traffic/recorded-traffic.ts';
import { cassetteFolderOf, openCassettePart, type TrafficPart } from '../traffic/traffic-part.ts';

const PARTITION_FILE = 'partition.json';

interface PartitionFile {
  readonly format: 1;
  readonly index: number;
  readonly parts: number;
  /** The cassettes that were cut; the n-th, from 1, is in the folder `n` of the part. */
  readonly sources: RecordedTraffic['sources'];
  /** When the first request of the whole traffic was sent, as Unix time in milliseconds; null if unknown. */
  readonly began: number | null;
  /** Pairs of names of the same resource; see `NameLinks`. */
  readonly links: readonly (readonly [name: number, to: number])[];
}

/** The numbers of an exchange in the original cassette, and its place as in `TrafficPlaces`. */
type OriginalNumbers = readonly [ordinal: number, after: number, ended: number, place: number];

/**
 * Returns the number of exchanges in each part; exchanges that several parts need are in each of them.
 * Rejects with UsageError if the folder is not empty or a recording is no cassette, and as `openRecordedTraffic` does.
 */
export async function partition(
  paths: readonly string[],
  { parts, out }: { readonly parts: number; readonly out: string },
): Promise<readonly number[]> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new UsageError(`${out} is not empty. Name a new folder with --out.`);
  return withRecordedTraffic(paths, async (traffic) => {
    if (traffic.imported.length > 0)
      throw new UsageError('Only cassettes can be split: convert a HAR file to one with assay har.');
    const plan = new TrafficPlan(createPlanColumns(traffic.size));
    await planTraffic(plan, traffic.traces());
    const places = plan.assignPlaces(parts);
    const sizes: number[] = [];
    for (let index = 0; index < parts; index += 1) {
      const folder = join(out, String(index));
      makeDirectory(folder);
      let size = 0;
      for (const [n, source] of traffic.sources.entries())
        size += await writePart(source, join(folder, String(n + 1)), { index, places });
      sizes.push(size);
      // The file comes last, so that an unfinished part is recognisable.
      const { sources, began } = traffic;
      const links = [...linksIn(places.links)];
      const file: PartitionFile = { format: 1, index, parts, sources, began, links };
      writeJson(join(folder, PARTITION_FILE), file);
    }
    return sizes;
  });
}

async function writePart(
  { path, before }: RecordedTraffic['sources'][number],
  dir: string,
  { index, places }: { readonly index: number; readonly places: TrafficPlaces },
): Promise<number> {
  const cassette = await openCassette(cassetteFolderOf(path) ?? path);
  try {
    const isSeen = makeSeenFilter(places, index);
    const seenIndexes = Array.from({ length: cassette.size }, (_, k) => k).filter((k) =>
      isSeen(before + k + 1),
    );
    // A note counts once, so only the first part gets it.
    writeExcerpt(cassette, dir, { indexes: seenIndexes, notes: index === 0 ? cassette.placedNotes() : [] });
    const numbers = seenIndexes.map((k): OriginalNumbers => {
      const { after, ended } = cassette.order(k);
      return [k + 1, after, ended, places.places[before + k + 1] ?? SHARED];
    });
    writeJson(`${dir}.numbers.json`, numbers);
    return seenIndexes.length;
  } finally {
    cassette.close();
  }
}

function writeJson(file: string, value: unknown): void {
  writeNamedFile(file, `${JSON.stringify(value)}\n`);
}

/** Exchanges have the numbers of the original cassettes. */
interface OpenPart extends TrafficToJudge {
  readonly file: PartitionFile;
  readonly share: ResourceShare;
  close(): void;
}

export function isPartOfPartition(path: string): boolean {
  return existsSync(join(path, PARTITION_FILE));
}

/**
 * Opens the folder of a part. Rejects with UsageError if a file is missing, is not JSON or is of another format, and
 * with CassetteError.
 */
export async function openPart(folder: string): Promise<OpenPart> {
  // as: `partition` wrote it; another format is refused
  const file = readJson(join(folder, PARTITION_FILE)) as PartitionFile | null;
  if (file?.format !== 1)
    throw new UsageError(`${folder} was written by another version of assay. Partition the cassettes again.`);
  const cassettes: TrafficPart[] = [];
  const close = () => {
    for (const cassette of cassettes) cassette.close();
  };
  try {
    for (const n of file.sources.keys()) cassettes.push(await openCassettePart(join(folder, String(n + 1))));
    const numbers = file.sources.map(
      (_, n) => readJson(join(folder, `${n + 1}.numbers.json`)) as readonly OriginalNumbers[], // as: `writePart` wrote it
    );
    return {
      file,
      header: joinHeaders(cassettes),
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

function shareOf(
  { parts, index, sources, links }: PartitionFile,
  numbers: readonly (readonly OriginalNumbers[])[],
): OpenPart['share'] {
  const last = sources.at(-1);
  const elsewhere = (index + 1) % parts;
  const places = new Uint16Array((last?.before ?? 0) + (last?.size ?? 0) + 1).fill(elsewhere);
  for (const [n, numbersOfSource] of numbers.entries())
    for (const [ordinal, , , place] of numbersOfSource) places[(sources[n]?.before ?? 0) + ordinal] = place;
  const nameLinks = new NameLinks();
  for (const [name, to] of links) nameLinks.link(name, to);
  return { index, places: { parts, places, links: nameLinks.slots } };
}

async function* itemsOf(
  cassette: TrafficPart,
  numbers: readonly OriginalNumbers[],
  before: number,
): AsyncGenerator<TraceItem> {
  for await (const item of cassette.items()) {
    if (isNote(item)) yield renumberItem(item, before);
    else {
      const [ordinal = 0, after = 0, ended = 0] = numbers[Number(item.id.slice(1)) - 1] ?? [];
      yield renumberItem({ ...item, id: `e${ordinal}`, after, ended }, before);
    }
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file));
  } catch (error) {
    throw new UsageError(`${file} cannot be read. Partition the cassettes again.`, { cause: error });
  }
}

export async function planTraffic(
  plan: TrafficPlan,
  traces: ReturnType<RecordedTraffic['traces']>,
): Promise<void> {
  for (const trace of traces) {
    for await (const item of trace) if (!isNote(item)) plan.add(item);
    plan.startTrace();
  }
}
