import type { CloseLine, NoteLine, TimingLine } from '../format/lines.ts';
import { scanCassette } from '../read/cassette-index.ts';
import { linesOf } from '../read/file-lines.ts';
import type { OpenFiles } from '../read/opened.ts';
import { placeIn } from './finish.ts';

/** The parts that are left out of a cassette: exchanges by their number, notes by their line. */
export interface Omitted {
  /** Numbers of exchanges. */
  readonly exchanges: ReadonlySet<number>;
  /** Numbers of lines. */
  readonly notes: ReadonlySet<number>;
}

/** Beginning of a request line, whose numbers are adapted. */
const REQUEST = /^\{"e":"request","i":(\d+),"after":(\d+),"ended":(\d+)/;
/** A line that names a blob: its size and sha256. */
const BODY = /^\{"e":"body",.*"size":(\d+),"sha256":"([0-9a-f]{64})","blob":true/;

/**
 * Writes a cassette again into a folder, without some exchanges and notes; those that stay are numbered anew. Gives how many
 * exchanges were left out, which a remark in the new cassette says, too. Throws CassetteError when it cannot be written.
 */
export function writeWithout(files: OpenFiles, dir: string, omitted: Omitted): number {
  const place = placeIn(dir);
  const numbers = new Numbers(files, omitted.exchanges);
  const named = new Set<string>();
  let n = 0;
  let notes = 0;
  let isOut = false;
  for (const { bytes } of linesOf(files.lines.source)) {
    n += 1;
    const line = bytes.toString();
    if (line.startsWith('{"e":"close"')) break;
    const [request, i = '', after = '', ended = ''] = REQUEST.exec(line) ?? [];
    if (request !== undefined) isOut = omitted.exchanges.has(Number(i));
    if (line.startsWith('{"e":"note"')) {
      const note = omitted.notes.has(n) ? null : numbers.note(line);
      if (note === null) continue;
      place.lines.write(note);
      notes += 1;
    } else if (!isOut) {
      const [, size, sha256] = BODY.exec(line) ?? [];
      if (sha256 !== undefined) named.add(copied(files, place, sha256, Number(size)));
      place.lines.copy(
        request === undefined
          ? line
          : `{"e":"request","i":${numbers.of(Number(i))},"after":${numbers.end(Number(after))},"ended":${numbers.end(Number(ended))}${line.slice(request.length)}`,
      );
    }
  }
  const { kept } = numbers;
  place.lines.write(remark(omitted.exchanges.size, kept));
  const close: CloseLine = { e: 'close', exchanges: kept, notes: notes + 1, sha256: place.lines.digest() };
  place.lines.write(close);
  writeTimes(files, place, numbers);
  for (const sink of [place.timing, place.lines]) sink.sync();
  for (const sink of [place.timing, place.lines]) sink.install();
  place.blobs.sweep(named);
  return omitted.exchanges.size;
}

/** The destination folder. */
type Place = ReturnType<typeof placeIn>;

/** The note that says how many exchanges were left out. */
function remark(count: number, after: number): NoteLine {
  const message = `${count} exchanges held a known secret in a form that could not be replaced: they are left out.`;
  return { e: 'note', after, note: 'remark', message };
}

/** Copies a blob into the destination; returns its sha256. */
function copied({ blobs }: OpenFiles, place: Place, sha256: string, size: number): string {
  const copy = place.blobs.begin();
  for (const piece of blobs.pieces(sha256, size)) copy.write(piece);
  return copy.finishSync();
}

/** Copies the timing lane with adapted numbers. */
function writeTimes({ timing }: OpenFiles, place: Place, numbers: Numbers): void {
  if (timing === null) return;
  let n = 0;
  for (const { bytes } of linesOf(timing.source)) {
    const i = n;
    n += 1;
    if (i === 0) place.timing.copy(bytes.toString());
    else if (!numbers.isOut(i)) {
      // as: written by us, and its number is that of its line
      const line = JSON.parse(bytes.toString()) as TimingLine;
      place.timing.write({ ...line, i: numbers.of(i) });
    }
  }
}

/** The numbers of exchanges, and the ordinals of their ends, when some are left out. */
class Numbers {
  /** Number of exchanges that stay. */
  readonly kept: number;
  readonly #out: readonly number[];
  readonly #outEnds: readonly number[];

  constructor({ lines }: OpenFiles, out: ReadonlySet<number>) {
    const { exchanges, ended } = scanCassette(lines);
    this.kept = exchanges - out.size;
    this.#out = [...out].toSorted((a, b) => a - b);
    this.#outEnds = this.#out.map((i) => ended[i - 1] ?? 0);
  }

  /** Whether exchange `i` is left out. */
  isOut(i: number): boolean {
    return this.#out.includes(i);
  }

  /** New number of exchange `i`. */
  of(i: number): number {
    return i - this.#out.filter((out) => out < i).length;
  }

  /** Of an ordinal among the ends, or of how many had ended. */
  end(ended: number): number {
    return ended - this.#outEnds.filter((out) => out <= ended).length;
  }

  /** A note with the ids that its exchanges have now; null where it speaks of one that is left out. */
  note(line: string): NoteLine | null {
    // as: written by us, and sealed by the checksum
    const note = JSON.parse(line) as NoteLine;
    const moved: Record<string, unknown> = { ...note, after: this.end(note.after) };
    for (const field of ['by', 'exchange', 'of']) {
      const id = moved[field];
      if (typeof id !== 'string') continue;
      const i = Number(id.slice(1));
      if (this.isOut(i)) return null;
      moved[field] = `e${this.of(i)}`;
    }
    // as: only numbers and ids were changed
    return moved as unknown as NoteLine;
  }
}
