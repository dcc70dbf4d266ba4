// Words for picking evidence out of a trace; a selector of one family is in its folder.
export {
  inWords,
  requests,
  responses,
  stateless,
  that,
  where,
} from '../../judge/evidence/selectors/answers.ts';
export { withCompliance } from '../../judge/evidence/selectors/compliance.ts';
export { idReuses } from '../../judge/evidence/selectors/identity.ts';
export { absences, memberships } from '../../judge/evidence/selectors/membership.ts';
export { streamedPairs } from '../../judge/evidence/selectors/pairs.ts';
export { idFrom, mayHaveSucceeded, successions } from '../../judge/evidence/selectors/relations.ts';
export { completeStreams, streamOf, streams } from '../../judge/evidence/selectors/streams.ts';
export { mustAccept, mustReject, probeResults } from '../../judge/evidence/selectors/trials.ts';
export {
  answered,
  asks,
  asksList,
  asksNumber,
  asksText,
  decided,
  leavesOut,
  lists,
  namesNothingIn,
  ofRequest,
  queries,
  sentValid,
  sets,
  setsOther,
  settled,
  showed,
  shows,
  showsObject,
  showsText,
  unprobed,
  unset,
  withoutQuery,
} from './conditions.ts';
