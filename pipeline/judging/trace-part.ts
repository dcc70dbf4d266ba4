import type { TraceHeader } from '../../exchange/trace.ts';
import type { RefusedModelsPart } from '../../explain/rejected-configuration.ts';
import type { JudgementPart } from '../../judge/judged-traffic.ts';
import type { UnknownModelsPart } from './unknown-models.ts';

/** What one judge knows of its part of the traffic. */
export interface TracePart {
  /** The header of the traffic, with the claims that it was judged for. */
  readonly header: TraceHeader;
  /** Families of called operations, with the number of exchanges that had ended with the first call; empty where claims were stated. */
  readonly called: readonly (readonly [family: string, at: number])[];
  /** Configured models that the target refused. */
  readonly refusedModels: RefusedModelsPart;
  /** Models that a client asked the embedded reference for, and that it does not have. */
  readonly unknownModels: UnknownModelsPart;
  /** Sums, first facts and bounded findings. */
  readonly judgement: JudgementPart;
}
