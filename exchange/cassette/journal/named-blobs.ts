import { join } from 'node:path';
import { readFileLines } from '../read/file-lines.ts';
import { entryKind } from '../write/entry.ts';

/** A line of a cassette that names a blob: its sha256. */
const BLOB = /^\{"e":"body",.*"sha256":"([0-9a-f]{64})","blob":true\}$/;

/** Digest of the blob that a line of a cassette names; null where it names none. */
export function namedBlob(line: string): string | null {
  return BLOB.exec(line)?.[1] ?? null;
}

/** Digests of the blobs that the finished cassette of a folder names; empty where there is none. */
export function namedBlobsOf(dir: string): ReadonlySet<string> {
  const file = join(dir, 'cassette.jsonl');
  const named = new Set<string>();
  if (entryKind(file) === null) return named;
  for (const { bytes } of readFileLines(file)) {
    const blob = namedBlob(bytes.toString());
    if (blob !== null) named.add(blob);
  }
  return named;
}
