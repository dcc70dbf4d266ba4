// An excerpt has some exchanges of a cassette, renumbered; everything else in them is copied unchanged.
import { makeDirectory } from '../directory.ts';
import type { Cassette, PlacedNote } from './cassette.ts';
import { CassetteOutput, openFinishPlace } from './finish.ts';
import { linesOf } from './line-reader.ts';
import type { NamedBlob } from './named-blobs.ts';

const REQUEST_NUMBERS = /^\{"e":"request","i":\d+,"after":\d+,"ended":\d+,/;

interface Excerpt {
  /** Exchanges to copy: indexes from 0, ascending. */
  readonly indexes: readonly number[];
  /** Notes in the order of their places in the source. `after` is adapted; the ids of exchanges in them are not. */
  readonly notes: readonly PlacedNote[];
}

/** If it fails, it throws and leaves no temporary files. */
export function writeExcerpt(source: Cassette, dir: string, excerpt: Excerpt): void {
  makeDirectory(dir);
  const place = openFinishPlace(dir);
  const output = new CassetteOutput(place);
  try {
    copyExcerpt(source, excerpt, place, output);
  } catch (error) {
    output.drop();
    place.blobs.close();
    throw error;
  }
}

function copyExcerpt(
  source: Cassette,
  { indexes, notes }: Excerpt,
  { timing, blobs }: ReturnType<typeof openFinishPlace>,
  output: CassetteOutput,
): void {
  const { timingHeader } = source;
  const endsUpTo = countEnds(source, indexes);
  const remaining = [...notes];
  const writeNotes = (until: number) => {
    for (let note = remaining[0]; note !== undefined && note.before <= until; note = remaining[0]) {
      const { before: _, after, ...content } = note;
      output.writeLine({ e: 'note', after: endsUpTo[after] ?? 0, ...content });
      remaining.shift();
    }
  };
  const copyBlob = ({ sha256, size }: NamedBlob) => {
    const copy = blobs.begin();
    for (const piece of source.blobs.pieces(sha256, size)) copy.write(piece);
    copy.finish();
    blobs.sync(sha256);
  };
  output.writeLine(source.headerLine);
  if (timingHeader !== null) timing.write(timingHeader);
  for (const [n, k] of indexes.entries()) {
    const { after, ended } = source.order(k);
    const newNumbers = `{"e":"request","i":${n + 1},"after":${endsUpTo[after]},"ended":${endsUpTo[ended]},`;
    writeNotes(k + 1);
    for (const { bytes } of linesOf(source.lines(k)))
      output.writeLine(bytes.toString().replace(REQUEST_NUMBERS, newNumbers), copyBlob);
    const times = source.timing(k);
    if (times !== null) timing.write({ ...times, i: n + 1 });
  }
  writeNotes(Number.POSITIVE_INFINITY);
  output.complete(timingHeader !== null);
}

function countEnds(source: Cassette, indexes: readonly number[]): Uint32Array {
  const ends = new Uint32Array(source.size + 1);
  for (const k of indexes) ends[source.order(k).ended] = 1;
  for (let at = 1; at < ends.length; at += 1) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
  return ends;
}
