import { withTrustedMarks } from '../../exchange/disturbed.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isFile } from '../../exchange/regular-file.ts';
import { isNote, type Note, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { UsageError } from '../setup/usage-error.ts';
import { joinHeaders } from './join-headers.ts';
import { createFileImporter, type ImportedFile, openCassettePart, type TrafficPart } from './traffic-part.ts';

export interface RecordedTraffic {
  /** The context of all files as one run, with the claims of every file. */
  readonly header: TraceHeader;
  /** Each file or folder, with the number of exchanges before it and in it. */
  readonly sources: readonly { readonly path: string; readonly before: number; readonly size: number }[];
  readonly size: number;
  /** When the first request was sent, as Unix time in milliseconds; null if unknown. */
  readonly began: number | null;
  readonly imported: readonly ImportedFile[];
  /** One trace per source; ids count across all. Each call starts over. `isWanted` selects by number. */
  traces(isWanted?: (number: number) => boolean): Iterable<AsyncIterable<TraceItem>>;
  /** The exchange with this id (`e3`), counted across all files; undefined if there is none. */
  exchange(id: string): Exchange | undefined;
  /** When this exchange began, as Unix time in milliseconds; 0 if unknown. */
  beganAt(id: string): number;
  /** The file of an exchange and its id there; null if there is only one file, or no such exchange. */
  source(id: string): { readonly path: string; readonly id: string } | null;
  /** Closes the files, and deletes temporary cassettes. */
  close(): void;
}

/** `facts` override those of every header. Rejects with CassetteError and UsageError, and as `importHar` does. */
export async function openRecordedTraffic(
  paths: readonly string[],
  { apiRoot, ...facts }: TrafficFacts = {},
): Promise<RecordedTraffic> {
  const parts: NumberedPart[] = [];
  let exchangeCount = 0;
  const imported: ImportedFile[] = [];
  const openFile = createFileImporter(apiRoot, imported);
  const close = () => {
    for (const part of parts) part.close();
  };
  // Ids count exchanges from 1 in the order of their starts; parts count their exchanges from 0.
  const placeOf = (id: string) => {
    const n = Number(id.slice(1));
    const part = parts.findLast(({ before }) => n > before);
    return part !== undefined && n - part.before <= part.size ? { part, k: n - part.before - 1 } : undefined;
  };
  try {
    for (const path of paths) {
      const isFolder = !isFile(path);
      const part = isFolder ? await openCassettePart(path) : await openFile(path);
      parts.push({ ...part, header: { ...part.header, ...facts }, before: exchangeCount });
      exchangeCount += part.size;
      if (isFolder && apiRoot !== undefined)
        throw new UsageError(
          `${path} is a cassette, with the paths as recorded: --api-root is for files of other recorders. Leave it out.`,
        );
    }
    const header = joinHeaders(parts);
    const times = parts.map(({ began }) => began).filter((time) => time > 0);
    return {
      header,
      imported,
      began: times.length === 0 ? null : Math.min(...times),
      sources: parts.map(({ path, size, before }) => ({ path, before, size })),
      size: exchangeCount,
      traces: (isWanted = () => true) => parts.map((part) => itemsOf(part, { joined: header, isWanted })),
      exchange: (id) => {
        const place = placeOf(id);
        return place && { ...place.part.exchange(place.k), id };
      },
      beganAt: (id) => {
        const place = placeOf(id);
        return place?.part.beganAt(place.k) ?? 0;
      },
      source: (id) => {
        const place = parts.length === 1 ? undefined : placeOf(id);
        return place === undefined ? null : { path: place.part.path, id: `e${place.k + 1}` };
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

export interface TrafficFacts extends Pick<TraceHeader, 'disturbed'> {
  /** Root URL of the service, for files of other recorders whose URLs lack `/v1`. */
  readonly apiRoot?: string | undefined;
}

export async function withRecordedTraffic<T>(
  paths: readonly string[],
  use: (traffic: RecordedTraffic) => Promise<T>,
  facts?: TrafficFacts,
): Promise<T> {
  const traffic = await openRecordedTraffic(paths, facts);
  try {
    return await use(traffic);
  } finally {
    traffic.close();
  }
}

interface NumberedPart extends TrafficPart {
  /** Number of exchanges in earlier parts, by which ids are shifted. */
  readonly before: number;
}

async function* itemsOf(
  { before, ...part }: NumberedPart,
  { joined, isWanted }: { readonly joined: TraceHeader; readonly isWanted: (number: number) => boolean },
): AsyncGenerator<TraceItem> {
  // If no part was disturbed, the judge itself ignores the marks, and says so.
  const hasUntrustedMarks = joined.disturbed !== part.header.disturbed;
  for await (const item of part.items((k) => isWanted(before + k + 1))) {
    const trusted = isNote(item) || !hasUntrustedMarks ? item : withTrustedMarks(item, part.header);
    yield before === 0 ? trusted : renumberItem(trusted, before);
  }
}

export function renumberItem(item: TraceItem, before: number): TraceItem {
  const shiftId = (id: string) => `e${Number(id.slice(1)) + before}`;
  return isNote(item) ? renumberNote(item, shiftId) : { ...item, id: shiftId(item.id) };
}

function renumberNote(note: Note, shiftId: (id: string) => string): Note {
  switch (note.note) {
    case 'blocked':
      return { ...note, by: shiftId(note.by) };
    case 'deadline':
      return { ...note, exchange: shiftId(note.exchange) };
    case 'retry':
      return { ...note, exchange: shiftId(note.exchange), of: shiftId(note.of) };
    case 'hint':
      return note.hint.kind === 'errors-at-random'
        ? { ...note, hint: { ...note.hint, exchanges: note.hint.exchanges.map(shiftId) } }
        : note;
    case 'stopped':
      return note.reason === 'target-died'
        ? { ...note, underWay: note.underWay.map((call) => ({ ...call, exchange: shiftId(call.exchange) })) }
        : note;
    default:
      return note;
  }
}
