// Opens one part of a partition: its exchanges have the numbers that they had in the cassettes that were cut.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { NameLinks } from '../../judge/partial/name-links.ts';
import type { JudgeRecordedOptions, RecordedToJudge } from '../judging/judge-recorded.ts';
import { commonHeader, renumbered } from '../traffic/recorded-traffic.ts';
import { cassettePart, type TrafficPart } from '../traffic/traffic-part.ts';
import { UsageError } from '../usage-error.ts';
import { type OriginalNumbers, PARTITION_FILE, type PartitionFile } from './partition.ts';

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
