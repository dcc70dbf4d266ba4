// The types of evidence, requirements and changes, for the functions of a family.
export type { Exchange } from '../../exchange/exchange.ts';
export type { Json } from '../../exchange/http/body.ts';
export type { RequestEvidence, ResponseEvidence } from '../../judge/evidence/selectors/answers.ts';
export type { WithCompliance } from '../../judge/evidence/selectors/compliance.ts';
export type { IdReuse } from '../../judge/evidence/selectors/identity.ts';
export type { ListAbsence, ListMembership } from '../../judge/evidence/selectors/membership.ts';
export type { StreamedPair } from '../../judge/evidence/selectors/pairs.ts';
export type { CallSuccession, SuccessionPlan } from '../../judge/evidence/selectors/relations.ts';
export type { JsonEvent, StreamEvent, StreamEvidence } from '../../judge/evidence/selectors/streams.ts';
export type { ProbeResult } from '../../judge/evidence/selectors/trials.ts';
export type { EquivalentMutant } from '../../judge/mutation-testing/equivalent-mutants/equivalent-mutant.ts';
export type { EventPicker, ExchangeEdit } from '../../judge/mutations/mutations.ts';
export type { StreamFrame } from '../../judge/mutations/streams.ts';
export type { Edit, NewValue } from '../../judge/mutations/values.ts';
export type {
  BehaviourRequirement,
  Collector,
  Condition,
  Evidence,
  Mutation,
  Selector,
  Violation,
} from '../../judge/requirements/requirement.ts';
export type { Call } from '../../judge/trace/call.ts';
