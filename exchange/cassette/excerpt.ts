// Writes some exchanges of a cassette as a separate cassette. Only numbers change: no body is rendered again.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namedBlob } from './blobs.ts';
import type { Cassette } from './cassette.ts';
import { type OpenFiles, placeIn } from './finish.ts';
import { LineFile, linesOf } from './line-files.ts';
import type { CloseLine, NoteLine, TimingLine } from './lines.ts';
import { scanCassette } from './scan.ts';

const NUMBERS = /^\{"e":"request","i":\d+,"after":\d+,"ended":\d+,/;

/** Writes the exchanges at `places` (indexes from 0), in their order, with all notes or none. */
export function writeExcerpt(
  source: Cassette,
  dir: string,
  { places, notes }: { readonly places: readonly number[]; readonly notes: 'with-notes' | 'without-notes' },
): void {
  mkdirSync(dir, { recursive: true });
  const lines = new LineFile(join(dir, 'cassette.jsonl'));
  const lane = source.timingHeader !== null ? new LineFile(join(dir, 'timing.jsonl')) : null;
  lines.write(source.headerLine);
  if (source.timingHeader !== null) lane?.write(source.timingHeader);
  const kept = notes === 'with-notes' ? source.placedNotes() : [];
  const endsBefore = endsIn(source, places);
  let noted = 0;
  for (const [n, k] of places.entries()) {
    const { after, ended } = source.order(k);
    noted += writeNotes(lines, kept.slice(noted), k + 1, endsBefore);
    const text = source.lines(k).toString('utf8').trimEnd();
    lines.copy(
      text.replace(
        NUMBERS,
        `{"e":"request","i":${n + 1},"after":${endsBefore[after]},"ended":${endsBefore[ended]},`,
      ),
    );
    const timing = source.timing(k);
    if (timing !== null) lane?.write({ ...timing, i: n + 1 });
    copyBlobs(source, text, dir);
  }
  writeNotes(lines, kept.slice(noted), Number.POSITIVE_INFINITY, endsBefore);
  lines.write({ e: 'close', exchanges: places.length, notes: kept.length, sha256: lines.digest() });
  for (const file of [lane, lines]) file?.sync();
  for (const file of [lane, lines]) file?.install();
}

/** How many of the exchanges have ended at each ordinal of the source. */
function endsIn(source: Cassette, places: readonly number[]): Uint32Array {
  const ends = new Uint32Array(source.size + 1);
  for (const k of places) ends[source.order(k).ended] = 1;
  for (let at = 1; at < ends.length; at += 1) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
  return ends;
}

function writeNotes(
  lines: LineFile,
  notes: ReturnType<Cassette['placedNotes']>,
  before: number,
  endsBefore: Uint32Array,
): number {
  const due = notes.filter((note) => note.before <= before);
  for (const { before: _, after, ...note } of due)
    lines.write({ e: 'note', after: endsBefore[after] ?? 0, ...note });
  return due.length;
}

function copyBlobs(source: Cassette, text: string, dir: string): void {
  for (const blob of text.split('\n').map(namedBlob)) {
    if (blob === null) continue;
    const file = join(dir, 'blobs', 'sha256', blob.sha256.slice(0, 2), blob.sha256);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source.blobs.read(blob.sha256, blob.size));
  }
}

/** Exchanges and notes to omit from a cassette. */
export interface Omitted {
  /** By number. */
  readonly exchanges: ReadonlySet<number>;
  /** By line number. */
  readonly notes: ReadonlySet<number>;
}

const REQUEST = /^\{"e":"request","i":(\d+),"after":(\d+),"ended":(\d+)/;

/**
 * Writes a cassette without some exchanges and notes, and numbers the others again. Returns how many exchanges were
 * left out; a remark in the new cassette says so. Throws CassetteError.
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
      const blob = namedBlob(line);
      if (blob !== null) named.add(copyBlob(files, place, blob.sha256, blob.size));
      place.lines.copy(
        request === undefined
          ? line
          : `{"e":"request","i":${numbers.of(Number(i))},"after":${numbers.end(Number(after))},"ended":${numbers.end(Number(ended))}${line.slice(request.length)}`,
      );
    }
  }
  const { kept } = numbers;
  place.lines.write(omissionRemark(omitted.exchanges.size, kept));
  const close: CloseLine = { e: 'close', exchanges: kept, notes: notes + 1, sha256: place.lines.digest() };
  place.lines.write(close);
  writeTimes(files, place, numbers);
  for (const sink of [place.timing, place.lines]) sink.sync();
  for (const sink of [place.timing, place.lines]) sink.install();
  place.blobs.sweep(named);
  return omitted.exchanges.size;
}

type Place = ReturnType<typeof placeIn>;

function omissionRemark(count: number, after: number): NoteLine {
  const message = `${count} exchanges held a known secret in a form that could not be replaced: they are left out.`;
  return { e: 'note', after, note: 'remark', message };
}

function copyBlob({ blobs }: OpenFiles, place: Place, sha256: string, size: number): string {
  const copy = place.blobs.begin();
  for (const piece of blobs.pieces(sha256, size)) copy.write(piece);
  return copy.finishSync();
}

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

/** New numbers and end ordinals after exchanges were left out. */
class Numbers {
  readonly kept: number;
  readonly #out: readonly number[];
  readonly #outEnds: readonly number[];

  constructor({ lines }: OpenFiles, out: ReadonlySet<number>) {
    const { exchanges, ended } = scanCassette(lines);
    this.kept = exchanges - out.size;
    this.#out = [...out].toSorted((a, b) => a - b);
    this.#outEnds = this.#out.map((i) => ended[i - 1] ?? 0);
  }

  isOut(i: number): boolean {
    return this.#out.includes(i);
  }

  of(i: number): number {
    return i - this.#out.filter((out) => out < i).length;
  }

  /** For `ended` and for `after`. */
  end(ended: number): number {
    return ended - this.#outEnds.filter((out) => out <= ended).length;
  }

  /** A note with the new ids of its exchanges; null if it concerns one that was left out. */
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
