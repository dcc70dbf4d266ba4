import { join } from 'node:path';
import { entryKind } from './entries.ts';
import { readFileLines } from './line-reader.ts';

const NAMED_BLOB = /^\{"e":"body","of":"\w+","size":(\d+),"sha256":"([0-9a-f]{64})","blob":true/;

export interface NamedBlob {
  readonly sha256: string;
  readonly size: number;
}

export function parseNamedBlob(line: string): NamedBlob | null {
  const [, size, sha256] = NAMED_BLOB.exec(line) ?? [];
  return sha256 === undefined ? null : { sha256, size: Number(size) };
}

export function readNamedBlobs(dir: string): ReadonlySet<string> {
  const file = join(dir, 'cassette.jsonl');
  const named = new Set<string>();
  if (entryKind(file) === null) return named;
  for (const { bytes } of readFileLines(file)) {
    const blob = parseNamedBlob(bytes.toString());
    if (blob !== null) named.add(blob.sha256);
  }
  return named;
}
