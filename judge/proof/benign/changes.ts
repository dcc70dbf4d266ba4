import type { Benign } from './benign.ts';
import { extraFields } from './extra-fields.ts';
import { jsonChanges } from './json-changes.ts';
import { largeLetters } from './letters.ts';
import { otherIds } from './other-ids.ts';
import { skippedStates } from './skipped-states.ts';
import { streamChanges } from './stream-changes.ts';
import { wireChanges } from './wire-changes.ts';

/** The benign changes that hold for every family. */
export function generalChanges(betaHeader: string): readonly Benign[] {
  return [
    ...jsonChanges,
    extraFields(betaHeader),
    largeLetters,
    ...otherIds,
    skippedStates,
    ...streamChanges,
    ...wireChanges,
  ];
}
