// Selectors of evidence from a trace, conditions on evidence, and functions that these need.
export {
  requests,
  responses,
  stateless,
  that,
  where,
} from '../../judge/evidence/calls.ts';
export { withCompliance } from '../../judge/evidence/compliance.ts';
export { idReuses } from '../../judge/evidence/id-reuses.ts';
export { absences, memberships } from '../../judge/evidence/list-memberships.ts';
export { mustAccept, mustReject, probeResults } from '../../judge/evidence/probe-results.ts';
export { streamedPairs } from '../../judge/evidence/streamed-pairs.ts';
export { completeStreams, streamOf, streams } from '../../judge/evidence/streams.ts';
export { idFrom, successions } from '../../judge/evidence/successions.ts';
export { mayHaveSucceeded } from '../../judge/trace/response-class.ts';
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
