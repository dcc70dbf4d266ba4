// Writes some exchanges of a cassette as a cassette of their own numbers: no byte of a body is rendered anew.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cassette } from './read/cassette.ts';

/** Characters that are written together. */
const CHUNK = 1 << 20;
/** The numbers in a request line, in the member order of the format. */
const NUMBERS = /^\{"e":"request","i":\d+,"after":\d+,"ended":\d+,/;
/** A body that is kept beside the lines. */
const BLOB = /"size":(\d+),"sha256":"([0-9a-f]{64})","blob":true/g;

/** Place of an exchange among those of a cassette, and among those that are written. */
interface Placed {
  /** From 0, by start. */
  readonly k: number;
  readonly after: number;
  readonly ended: number;
}

/** Writes a cassette with some exchanges of another, in their order, and with all of its notes or with none. `places`: their indexes, from 0. */
export function writeExcerpt(
  source: Cassette,
  dir: string,
  { places, notes }: { readonly places: readonly number[]; readonly notes: 'with-notes' | 'without-notes' },
): void {
  mkdirSync(dir, { recursive: true });
  const lines = new LineFile(join(dir, 'cassette.jsonl'));
  const lane = source.timingHeader !== null ? new LineFile(join(dir, 'timing.jsonl')) : null;
  lines.write(JSON.stringify(source.headerLine));
  lane?.write(JSON.stringify(source.timingHeader));
  const kept = notes === 'with-notes' ? source.placedNotes() : [];
  const endsBefore = endsIn(source, places);
  let noted = 0;
  for (const [n, { k, after, ended }] of renumbered(source, places, endsBefore).entries()) {
    noted += writeNotes(lines, kept.slice(noted), k + 1, endsBefore);
    const text = source.lines(k).toString('utf8').trimEnd();
    lines.write(text.replace(NUMBERS, `{"e":"request","i":${n + 1},"after":${after},"ended":${ended},`));
    const timing = source.timing(k);
    if (timing !== null) lane?.write(JSON.stringify({ ...timing, i: n + 1 }));
    copyBlobs(source, text, dir);
  }
  writeNotes(lines, kept.slice(noted), Number.POSITIVE_INFINITY, endsBefore);
  lines.close({ exchanges: places.length, notes: kept.length });
  lane?.close(null);
}

/** How many of the exchanges end up to each ordinal of the cassette. */
function endsIn(source: Cassette, places: readonly number[]): Uint32Array {
  const ends = new Uint32Array(source.size + 1);
  for (const k of places) ends[source.order(k).ended] = 1;
  for (let at = 1; at < ends.length; at += 1) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
  return ends;
}

/** The exchanges with ordinals among themselves. */
function renumbered(source: Cassette, places: readonly number[], endsBefore: Uint32Array): readonly Placed[] {
  return places.map((k) => {
    const { after, ended } = source.order(k);
    return { k, after: endsBefore[after] ?? 0, ended: endsBefore[ended] ?? 0 };
  });
}

/** Writes the notes that were made before an exchange; gives their number. */
function writeNotes(
  lines: LineFile,
  notes: ReturnType<Cassette['placedNotes']>,
  before: number,
  endsBefore: Uint32Array,
): number {
  const due = notes.filter((note) => note.before <= before);
  for (const { before: _, after, ...note } of due)
    lines.write(JSON.stringify({ e: 'note', after: endsBefore[after] ?? 0, ...note }));
  return due.length;
}

/** Copies the bodies that these lines name. */
function copyBlobs(source: Cassette, text: string, dir: string): void {
  for (const [, size, sha256 = ''] of text.matchAll(BLOB)) {
    const file = join(dir, 'blobs', 'sha256', sha256.slice(0, 2), sha256);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source.blobs.read(sha256, Number(size)));
  }
}

/** A file of lines, sealed by their digest. */
class LineFile {
  readonly #fd: number;
  readonly #hash: Hash = createHash('sha256');
  #waiting = '';

  constructor(file: string) {
    this.#fd = openSync(file, 'wx');
  }

  write(line: string): void {
    this.#waiting += `${line}\n`;
    if (this.#waiting.length > CHUNK) this.#flush();
  }

  /** `counts`: of the closing line; null for a file without one. */
  close(counts: { readonly exchanges: number; readonly notes: number } | null): void {
    this.#flush();
    if (counts !== null)
      writeSync(this.#fd, `${JSON.stringify({ e: 'close', ...counts, sha256: this.#hash.digest('hex') })}\n`);
    closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#hash.update(bytes);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
  }
}
