import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stableBaseUrl } from '../exchange/cassette/journal/finisher.ts';
import { type Cassette, openCassette } from '../exchange/cassette/read/cassette.ts';
import { claimedNames, claimsNamed } from '../exchange/claims.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { importHar } from '../exchange/har/read.ts';
import { isNote, type Note, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { cassetteFolderOf } from './cassette-folder.ts';
import { UsageError } from './usage-error.ts';

/** Recorded traffic: to be judged trace by trace, and to be looked up in afterwards. */
export interface RecordedTraffic {
  readonly header: TraceHeader;
  /** How many exchanges there are. */
  readonly size: number;
  /** When the first request was sent, in milliseconds since 1970; null where that is not known. */
  readonly began: number | null;
  /** The HAR files among it. */
  readonly har: readonly ImportedHar[];
  /** One per cassette; exchanges are numbered through all of them. Reading begins anew with each call. */
  traces(): Iterable<AsyncIterable<TraceItem>>;
  /** The exchange with this id; undefined for an unknown id. */
  exchange(id: string): Exchange | undefined;
  /** When that exchange began, in milliseconds since 1970; 0 where that is not known. */
  beganAt(id: string): number;
  /** Closes the files, and deletes cassettes that were made of HAR files. */
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

/** One cassette among several, with the number by which its ids are moved. */
interface Part {
  readonly cassette: Cassette;
  /** How many exchanges the parts before hold. */
  readonly before: number;
}

/** Opens cassettes and HAR files; several are the shards of one run. Throws CassetteError, HarError and UsageError. */
export async function openRecordedTraffic(paths: readonly string[]): Promise<RecordedTraffic> {
  const parts: Part[] = [];
  const made: string[] = [];
  const har: ImportedHar[] = [];
  const close = () => {
    for (const { cassette } of parts) cassette.close();
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const path of paths) {
      const last = parts.at(-1);
      const before = last === undefined ? 0 : last.before + last.cassette.size;
      const folder = isFile(path) ? await ofHar(path, made, har) : (cassetteFolderOf(path) ?? path);
      parts.push({ cassette: await openCassette(folder), before });
    }
    return {
      header: common(parts.map(({ cassette }) => cassette)),
      har,
      began: beginOf(parts),
      size: parts.reduce((sum, { cassette }) => sum + cassette.size, 0),
      traces: () => parts.map(itemsOf),
      exchange: (id) => lookUp(parts, id),
      beganAt: (id) => {
        const found = placeOf(parts, id);
        return found === null ? 0 : found.cassette.began(found.k);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A cassette of a HAR file, in a folder that is added to `made`; what became of the file is added to `har`. */
async function ofHar(path: string, made: string[], har: ImportedHar[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-har-'));
  made.push(folder);
  const imported = await importHar(path, join(folder, 'cassette'), {
    header: (baseUrl) => recordingHeader(baseUrl),
    redaction: { environment: process.env },
  });
  const { exchanges, skipped, quarantined } = imported;
  har.push({ path, exchanges, skipped, withSecret: quarantined?.exchanges ?? 0 });
  return join(folder, 'cassette');
}

/** When the earliest part began. 0 stands for a time that was not recorded. */
function beginOf(parts: readonly Part[]): number | null {
  const times = parts.flatMap(({ cassette }) => (cassette.size === 0 ? [] : [cassette.began(0)]));
  const known = times.filter((time) => time > 0);
  return known.length === 0 ? null : Math.min(...known);
}

/** Ids count from 1 by start, which is how a cassette is indexed. */
function lookUp(parts: readonly Part[], id: string): Exchange | undefined {
  const found = placeOf(parts, id);
  return found === null ? undefined : { ...found.cassette.exchange(found.k), id };
}

/** The cassette that has the exchange, and its number there from 0; null for an unknown id. */
function placeOf(
  parts: readonly Part[],
  id: string,
): { readonly cassette: Cassette; readonly k: number } | null {
  const n = Number(id.slice(1));
  const part = parts.findLast(({ before }) => n > before);
  if (part === undefined || !(n - part.before <= part.cassette.size)) return null;
  return { cassette: part.cassette, k: n - part.before - 1 };
}

async function* itemsOf({ cassette, before }: Part): AsyncGenerator<TraceItem> {
  const moved = (id: string) => `e${Number(id.slice(1)) + before}`;
  for await (const item of cassette.items()) {
    if (before === 0) yield item;
    else if (isNote(item)) yield renumbered(item, moved);
    else yield { ...item, id: moved(item.id) };
  }
}

/** Notes refer to exchanges by id, so these move with the exchanges. */
function renumbered(note: Note, moved: (id: string) => string): Note {
  switch (note.note) {
    case 'blocked':
      return { ...note, by: moved(note.by) };
    case 'deadline':
      return { ...note, exchange: moved(note.exchange) };
    case 'retry':
      return { ...note, exchange: moved(note.exchange), of: moved(note.of) };
    default:
      return note;
  }
}

/** Settings that are equal in all shards of a run; traces in which one differs cannot be judged as one run. */
const COMMON = ['filters', 'allow', 'dialect', 'betaHeader', 'models', 'key'] as const;

/** A service on this machine has another port in each run. */
function isSame(a: TraceHeader['target'], b: TraceHeader['target']): boolean {
  return a.name === b.name && stableBaseUrl(a.baseUrl) === stableBaseUrl(b.baseUrl);
}

/** Rejects missing and repeated shards: evidence of a missing one would count as untested, of a repeated one twice. */
function refuseGaps(cassettes: readonly Cassette[]): void {
  const shards = cassettes.map(({ header }) => header.shard);
  const [first] = shards;
  if (first == null && shards.every((shard) => shard === null)) return;
  const of = first?.of ?? 0;
  const odd = cassettes.find(({ header }) => header.shard?.of !== of);
  if (odd !== undefined || first == null) {
    const found = cassettes.map(
      ({ dir, header: { shard } }) =>
        `${dir} is ${shard === null ? 'a whole run' : `${shard.index} of ${shard.of}`}`,
    );
    throw new UsageError(
      `These are not the shards of one run: ${found.join(', ')}. Judge them one at a time.`,
    );
  }
  const have = shards.map((shard) => shard?.index ?? 0).toSorted((a, b) => a - b);
  const twice = have.find((index, i) => index === have[i - 1]);
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !have.includes(index));
  if (twice !== undefined) throw new UsageError(`Shard ${twice} of ${of} is there twice. Name each once.`);
  if (missing.length > 0)
    throw new UsageError(
      `Of ${of} shards, ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Name all of them, or judge them one at a time.`,
    );
}

/**
 * The header of all parts as one run: that of the first, with the families of all. Throws UsageError where
 * they are not of one run.
 */
function common(cassettes: readonly Cassette[]): TraceHeader {
  const [first, ...others] = cassettes;
  if (first === undefined) throw new UsageError('Name a cassette.');
  if (others.length === 0) return first.header;
  for (const { dir, header } of others) {
    const odd = COMMON.find((name) => JSON.stringify(header[name]) !== JSON.stringify(first.header[name]));
    if (odd !== undefined) {
      throw new UsageError(
        `${first.dir} and ${dir} are not of one run: their ${odd} differ. Judge them one at a time.`,
      );
    }
  }
  const { target } = first.header;
  const other = others.find(({ header }) => !isSame(header.target, target));
  if (other !== undefined) {
    const [one, two] = [target.baseUrl, other.header.target.baseUrl];
    throw new UsageError(
      `${first.dir} and ${other.dir} are of different targets, ${one} and ${two}. Judge them one at a time.`,
    );
  }
  refuseGaps(cassettes);
  const names = new Set(cassettes.flatMap(({ header }) => claimedNames(header.claims)));
  const { how } = first.header.claims;
  return { ...first.header, claims: { ...claimsNamed([...names]), how }, shard: null };
}
