// JSON, ids, streams and HTTP allow many representations of the same response; each is tried on the whole
// trace.
import type { EquivalentMutant } from './equivalent-mutant.ts';
import { extraFields } from './extra-fields.ts';
import { filedAnswerDifferences } from './filed-answers.ts';
import { filedChatDifferences } from './filed-chat.ts';
import { jsonChanges } from './json-changes.ts';
import { nonAsciiLetters } from './non-ascii-letters.ts';
import { otherCaller } from './other-caller.ts';
import { otherIds } from './other-ids.ts';
import { skippedStates } from './skipped-states.ts';
import { streamChanges } from './stream-changes.ts';
import { wireChanges } from './wire-changes.ts';

/** The equivalent mutants that apply to every family. */
export function generalEquivalentMutants(betaHeader: string): readonly EquivalentMutant[] {
  return [
    ...jsonChanges,
    extraFields(betaHeader),
    nonAsciiLetters,
    ...otherIds,
    otherCaller(betaHeader),
    skippedStates,
    ...streamChanges,
    ...wireChanges,
    ...filedChatDifferences,
    ...filedAnswerDifferences,
  ];
}
