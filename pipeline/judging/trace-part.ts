import type { TraceHeader } from '../../exchange/trace.ts';
import type { RefusedModelsPart } from '../../explain/rejected-configuration.ts';
import type { JudgementPart } from '../../judge/judged-traffic.ts';
import type { UnknownModelsPart } from './unknown-models.ts';

/** The results of one judge for its part of the traffic. */
export interface TracePart {
  /** The header of the traffic, with the judged claims. */
  readonly header: TraceHeader;
  /** Families of called operations, each with the position of the first call; empty if the claims were stated. */
  readonly called: readonly (readonly [family: string, at: number])[];
  /** Configured models that the target refused. */
  readonly refusedModels: RefusedModelsPart;
  /** Models that a client requested and that the embedded reference does not have. */
  readonly unknownModels: UnknownModelsPart;
  readonly judgement: JudgementPart;
}
