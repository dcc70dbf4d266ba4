import type { EquivalentMutant } from './equivalent-mutant.ts';
import { extraFields } from './extra-fields.ts';
import { jsonChanges } from './json-changes.ts';
import { nonAsciiLetters } from './non-ascii-letters.ts';
import { otherIds } from './other-ids.ts';
import { skippedStates } from './skipped-states.ts';
import { streamChanges } from './stream-changes.ts';
import { wireChanges } from './wire-changes.ts';

/** The benign changes that hold for every family. */
export function generalEquivalentMutants(betaHeader: string): readonly EquivalentMutant[] {
  return [
    ...jsonChanges,
    extraFields(betaHeader),
    nonAsciiLetters,
    ...otherIds,
    skippedStates,
    ...streamChanges,
    ...wireChanges,
  ];
}
