import { renameSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { plural } from '../../schemas/message-text.ts';
import { makeDirectory } from '../directory.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type Cassette, openEvenInUse, type PlacedNote } from './cassette.ts';
import { attemptWrite, CassetteError } from './cassette-error.ts';
import { entryKind } from './entries.ts';
import { writeExcerpt } from './excerpt.ts';
import { refuseForeignFiles, removeCassette } from './folder.ts';
import { readFileLines } from './line-reader.ts';
import { parseNamedBlob } from './named-blobs.ts';
import { type DetectedSecret, scanForSecrets } from './secret-scan.ts';

/** Exchanges and notes left out because they contain a known secret that could not be replaced. */
export interface Quarantined {
  /** The folder with the complete recording, including the secret. */
  readonly aside: string;
  readonly exchanges: number;
  readonly notes: number;
  /** A place where the secret was found: the file and, if known, the line. */
  readonly place: string;
}

/**
 * If a known secret got through, the recording is moved aside, and a cassette without the affected exchanges and notes
 * takes its place. Returns null if nothing was found. Throws CassetteError `secret`, and leaves no cassette, if the
 * secret is in the header.
 */
export function quarantine(dir: string, aside: string, redactor: Redactor): Quarantined | null {
  if (!redactor.knowsSecrets) return null;
  const secrets = scanForSecrets(dir, redactor, 'known');
  const [first] = secrets;
  if (first === undefined) return null;
  moveAside(dir, aside);
  const placeOf = ({ file, line }: DetectedSecret) =>
    join(aside, relative(dir, file)) + (line === null ? '' : `:${line}`);
  const original = openEvenInUse(aside);
  try {
    const { inHeader, ...found } = affectedParts(secrets, original);
    if (inHeader !== undefined)
      throw new CassetteError(
        'secret',
        `The header of the cassette holds a known secret, at ${placeOf(inHeader)}. The cassette was moved to ${aside}: do not share it, and record again without that secret in the URL of the service.`,
      );
    writeClean(original, dir, found);
    return { aside, exchanges: found.exchanges.size, notes: found.notes.size, place: placeOf(first) };
  } finally {
    original.close();
  }
}

function moveAside(dir: string, aside: string): void {
  refuseForeignFiles(aside);
  removeCassette(aside);
  attemptWrite(aside, () => {
    makeDirectory(aside);
    for (const name of ['cassette.jsonl', 'timing.jsonl', 'blobs'])
      if (entryKind(join(dir, name)) !== null) renameSync(join(dir, name), join(aside, name));
  });
}

const REQUEST = /^\{"e":"request","i":(\d+)/;

/** The parts of a cassette that contain a secret: exchanges by number, from 1, and notes by position, from 0. */
function affectedParts(secrets: readonly DetectedSecret[], cassette: Cassette) {
  const linesIn = (name: string) =>
    new Set(secrets.filter(({ file }) => basename(file) === name).map(({ line }) => line));
  const lines = linesIn('cassette.jsonl');
  const timings = linesIn('timing.jsonl');
  const blobs = new Set(secrets.map(({ file }) => basename(file)));
  // Line n + 1 of the timing file belongs to exchange n.
  const exchanges = new Set([...timings].flatMap((n) => (n === null || n === 1 ? [] : [n - 1])));
  const notes = new Set<number>();
  let lineNumber = 0;
  let note = -1;
  let exchange = 0;
  for (const { bytes } of readFileLines(join(cassette.dir, 'cassette.jsonl'))) {
    lineNumber += 1;
    const text = bytes.toString('latin1');
    const isNote = text.startsWith('{"e":"note"');
    if (isNote) note += 1;
    exchange = Number(REQUEST.exec(text)?.[1] ?? exchange);
    if (!lines.has(lineNumber) && !blobs.has(parseNamedBlob(text)?.sha256 ?? '')) continue;
    if (isNote) notes.add(note);
    else exchanges.add(exchange);
  }
  // Only the lines and the timing file have line numbers, and both begin with a header.
  return { exchanges, notes, inHeader: secrets.find(({ line }) => line === 1) };
}

function writeClean(
  original: Cassette,
  dir: string,
  { exchanges, notes }: Pick<ReturnType<typeof affectedParts>, 'exchanges' | 'notes'>,
): void {
  const indexes = Array.from({ length: original.size }, (_, k) => k).filter((k) => !exchanges.has(k + 1));
  const ids = new Map(indexes.map((k, n) => [`e${k + 1}`, `e${n + 1}`]));
  const kept = original.placedNotes().filter((_, n) => !notes.has(n));
  const parts = omittedParts({ exchanges: exchanges.size, notes: notes.size });
  const message = `${parts} with a known secret in a form that could not be replaced: left out.`;
  const remark = { before: original.size + 1, after: original.size, note: 'remark', message } as const;
  const renumberedNotes = kept.flatMap((note) => renumberNote(note, ids) ?? []);
  writeExcerpt(original, dir, { indexes, notes: [...renumberedNotes, remark] });
}

export function omittedParts({ exchanges, notes }: Pick<Quarantined, 'exchanges' | 'notes'>): string {
  const counts = Object.entries({ exchange: exchanges, note: notes }).filter(([, count]) => count > 0);
  return counts.map(([noun, count]) => plural(count, noun)).join(' and ');
}

function renumberNote(note: PlacedNote, ids: ReadonlyMap<string, string>): PlacedNote | null {
  const entries = Object.entries(note).map(([name, value]): [string, unknown] => [
    name,
    ['by', 'exchange', 'of'].includes(name) ? ids.get(String(value)) : value,
  ]);
  if (entries.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(entries) as PlacedNote; // as: only ids were changed
}
