import { join } from 'node:path';
import { entryKind } from './entry.ts';

/** Whether a folder holds a cassette, or the journal of one that is not finished. */
export function holdsRecording(dir: string): boolean {
  return ['cassette.jsonl', 'journal.jsonl'].some((name) => entryKind(join(dir, name)) !== null);
}

/** Where a cassette is recorded that is to replace another. */
export function recordingDir(dir: string): string {
  return `${dir}.recording`;
}

/** Where a recording stays that failed and is not to replace the cassette that is there. */
export function failedDir(dir: string): string {
  return `${dir}.failed`;
}

/** Where a cassette is put in which a known secret was found. */
export function quarantineDir(dir: string): string {
  return `${dir}.quarantine`;
}

/** Where a replaced cassette is for the moment in which another takes its place. */
export function replacedDir(dir: string): string {
  return `${dir}.recording.old`;
}

/** A free place for a recording that was interrupted, when another is about to take its folder. */
export function interruptedDir(dir: string): string {
  for (let n = 1; ; n += 1) {
    const place = n === 1 ? `${dir}.interrupted` : `${dir}.interrupted-${n}`;
    if (entryKind(place) === null) return place;
  }
}
