// The types of evidence, requirements and mutations that the code of a family may use.
export type { Exchange, TraceSpan } from '../../exchange/exchange.ts';
export type { Json } from '../../exchange/http/body.ts';
export type { RequestEvidence, ResponseEvidence } from '../../judge/evidence/calls.ts';
export type { WithCompliance } from '../../judge/evidence/compliance.ts';
export type { IdReuse } from '../../judge/evidence/id-reuses.ts';
export type { ListAbsence, ListMembership } from '../../judge/evidence/list-memberships.ts';
export type { ProbeResult } from '../../judge/evidence/probe-results.ts';
export type { StreamedPair } from '../../judge/evidence/streamed-pairs.ts';
export type { JsonEvent, StreamEvent, StreamEvidence } from '../../judge/evidence/streams.ts';
export type { CallSuccession, SuccessionPlan } from '../../judge/evidence/successions.ts';
export type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
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
export type { JsonObject } from '../../judge/trace/json.ts';
export type { StreamFrame } from '../../proof/mutations/exchanges.ts';
export type { EventPicker, ExchangeEdit } from '../../proof/mutations/mutations.ts';
export type { Edit, NewValue } from '../../proof/mutations/values.ts';
