import type { AcceptancePart } from '../acceptance/sent/acceptance-part.ts';
import type { OperationUsage } from '../client/usage.ts';
import type { CostPart } from '../coverage/cost-counter.ts';
import type { OperationPart } from '../coverage/operation-coverage.ts';
import type { StateMachinePart } from '../coverage/state-machines.ts';
import type { ErrataPart } from '../dialects/errata.ts';
import type { NearestPart } from '../missing-evidence/nearest.ts';
import type { ReceivedPart } from '../missing-evidence/received.ts';
import type { ChoicesPart } from '../requirements/choices.ts';
import type { HistoryPart } from '../trace/scenario-history.ts';
import type { RequirementPart } from '../verdict/requirement-state.ts';
import type { SuppositionsPart } from '../verdict/supposed-results.ts';

/**
 * Everything that a judge knows of one part of the traffic, before it decides: plain data of bounded size. Parts add up to
 * what the judge of the whole traffic knows.
 */
export interface JudgementPart {
  /** Those of which anything was seen. */
  readonly requirements: readonly ({ readonly id: string } & RequirementPart)[];
  readonly suppositions: SuppositionsPart;
  /** Null where the catalogue has no requirements on acceptance. */
  readonly acceptance: AcceptancePart | null;
  readonly errata: ErrataPart;
  readonly choices: ChoicesPart;
  readonly history: HistoryPart;
  readonly operations: readonly OperationPart[];
  readonly states: readonly StateMachinePart[];
  /** Null where no client is judged. */
  readonly usage: readonly OperationUsage[] | null;
  readonly received: ReceivedPart;
  readonly nearest: NearestPart;
  /** Answers that were spoiled on purpose. */
  readonly spoiled: number;
  /** Answers with the marks of a disturber that the traffic does not have. */
  readonly unbelieved: number;
  readonly cost: CostPart;
}
