import { renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDirectory } from '../directory.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { namedBlob } from './blobs.ts';
import { type Omitted, writeWithout } from './excerpt.ts';
import { openFinished } from './finish.ts';
import { CassetteError, entryKind, refuseForeignFiles, removeCassette, writing } from './folder.ts';
import { type LineSource, linesOf } from './line-files.ts';
import { type DetectedSecret, scanForSecrets } from './secret-scan.ts';

/** Exchanges left out because they contain a known secret that could not be replaced. */
export interface Quarantined {
  /** The folder with the whole recording, including the secret. */
  readonly aside: string;
  /** How many exchanges were left out. */
  readonly exchanges: number;
  /** One place of the secret: file, and line if there is one. */
  readonly place: string;
}

/**
 * Searches a finished cassette once more for known secrets. If one got through, the recording is moved aside, and a
 * cassette without the affected exchanges and notes takes its place. Null if nothing was found. Throws CassetteError
 * `secret`, and leaves no cassette, if the secret is in the header.
 */
export function quarantine(dir: string, aside: string, redactor: Redactor): Quarantined | null {
  if (!redactor.searches) return null;
  const secrets = scanForSecrets(dir, redactor, 'known');
  const [first] = secrets;
  if (first === undefined) return null;
  moveAside(dir, aside);
  const place = first.file.replace(dir, aside) + (first.line === null ? '' : `:${first.line}`);
  const files = openFinished(aside);
  try {
    const { isInHeader, ...omitted } = omittedFor(secrets, files.lines.source);
    if (isInHeader)
      throw new CassetteError(
        'secret',
        `The header of the cassette holds a known secret, at ${place}. It was put aside as ${aside}: do not share it, and record again without that secret in the URL of the service.`,
      );
    return { aside, exchanges: writeWithout(files, dir, omitted), place };
  } finally {
    files.close();
  }
}

function moveAside(dir: string, aside: string): void {
  refuseForeignFiles(aside);
  removeCassette(aside);
  writing(aside, () => {
    makeDirectory(aside);
    for (const name of ['cassette.jsonl', 'timing.jsonl', 'blobs']) {
      if (entryKind(join(dir, name)) !== null) renameSync(join(dir, name), join(aside, name));
    }
  });
}

const NUMBER = /^\{"e":"request","i":(\d+)/;

function omittedFor(
  secrets: readonly DetectedSecret[],
  source: LineSource,
): Omitted & { readonly isInHeader: boolean } {
  const linesIn = (name: string) =>
    new Set(secrets.filter(({ file }) => basename(file) === name).map(({ line }) => line));
  const [lines, timings] = [linesIn('cassette.jsonl'), linesIn('timing.jsonl')];
  const blobs = new Set(secrets.map(({ file }) => basename(file)));
  // Line n + 1 of the timing file belongs to exchange n.
  const exchanges = new Set([...timings].flatMap((n) => (n === null || n === 1 ? [] : [n - 1])));
  const notes = new Set<number>();
  let n = 0;
  let i = 0;
  for (const { bytes } of linesOf(source)) {
    n += 1;
    const text = bytes.toString('latin1');
    i = Number(NUMBER.exec(text)?.[1] ?? i);
    const isNote = text.startsWith('{"e":"note"');
    if (!lines.has(n) && !blobs.has(namedBlob(text)?.sha256 ?? '')) continue;
    if (isNote) notes.add(n);
    else exchanges.add(i);
  }
  return { exchanges, notes, isInHeader: lines.has(1) || timings.has(1) };
}
