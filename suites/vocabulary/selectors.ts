// Selectors of evidence from a trace, and conditions on it. Those for a single family are in its folder.
export {
  requests,
  responses,
  stateless,
  that,
  where,
} from '../../judge/evidence/calls.ts';
export { withCompliance } from '../../judge/evidence/compliance.ts';
export { absences, memberships } from '../../judge/evidence/list-memberships.ts';
export { idFrom, idReuses, mayHaveSucceeded, successions } from '../../judge/evidence/objects.ts';
export { mustAccept, mustReject, probeResults } from '../../judge/evidence/probe-results.ts';
export { streamedPairs } from '../../judge/evidence/streamed-pairs.ts';
export { completeStreams, streamOf, streams } from '../../judge/evidence/streams.ts';
export {
  answered,
  asks,
  decided,
  leavesOut,
  lists,
  namesNothingIn,
  ofRequest,
  sets,
  settled,
  showed,
  shows,
  unprobed,
  unset,
} from './conditions.ts';
