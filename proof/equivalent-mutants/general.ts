import { jsonContent } from '../../exchange/http/content.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { textAt } from '../../judge/trace/json.ts';
import { extraFields, jsonChanges, nonAsciiLetters } from './json-changes.ts';
import { otherCaller } from './other-caller.ts';
import { otherIds } from './other-ids.ts';
import { streamChanges } from './stream-changes.ts';
import { wireChanges } from './wire-changes.ts';

/** States that an object leaves by itself, so that a client that polls rarely may miss them. */
const INTERMEDIATE_STATES: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

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
  ];
}

const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  // Gaps in the ordinals are harmless: the order stays correct.
  apply: (items) =>
    items.filter(
      (item) =>
        isNote(item) ||
        item.request.method !== 'GET' ||
        !INTERMEDIATE_STATES.has(textAt(jsonContent(item.response), 'status')),
    ),
  blinds: true,
};
