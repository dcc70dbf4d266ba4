// Words for picking evidence out of a trace; a selector of one family is in its folder.
export {
  type RequestEvidence,
  type ResponseEvidence,
  requests,
  responses,
  stateless,
  where,
} from '../../judge/evidence/selectors/answers.ts';
export { type WithCompliance, withCompliance } from '../../judge/evidence/selectors/compliance.ts';
export { idReuses } from '../../judge/evidence/selectors/identity.ts';
export { absences, memberships } from '../../judge/evidence/selectors/membership.ts';
export { type StreamedPair, streamedPairs } from '../../judge/evidence/selectors/pairs.ts';
export {
  type CallSuccession,
  mayHaveSucceeded,
  type SuccessionPlan,
  successions,
} from '../../judge/evidence/selectors/relations.ts';
export {
  completeStreams,
  type JsonEvent,
  type StreamEvent,
  type StreamEvidence,
  streamOf,
  streams,
} from '../../judge/evidence/selectors/streams.ts';
export {
  mustAccept,
  mustReject,
  type ProbeResult,
  probeResults,
} from '../../judge/evidence/selectors/trials.ts';
