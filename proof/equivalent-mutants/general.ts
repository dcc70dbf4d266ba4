import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { extraFields, jsonChanges, nonAsciiLetters } from './json-changes.ts';
import { otherCaller, otherIds, skippedStates } from './trace-changes.ts';
import { streamChanges, wireChanges } from './wire-changes.ts';

/**
 * Equivalent mutants for every family. JSON, ids, streams and HTTP allow many representations of the same response;
 * each is applied to the whole trace.
 */
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
