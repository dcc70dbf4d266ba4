import type { Json } from '../exchange/body.ts';
import type { StopReason } from '../exchange/trace.ts';
import type { LifeVerdict } from './lives.ts';
import type { Basis, Kind, Level } from './requirement.ts';

export type Verdict = 'pass' | 'fail' | 'warn' | 'untested' | 'inconclusive' | 'excused' | 'error';

export type UntestedReason =
  | 'not-claimed'
  | 'filtered'
  | 'not-allowed'
  | 'not-configured'
  | 'not-feasible'
  | 'not-implemented'
  | 'blocked'
  | 'no-evidence';

export interface Finding {
  readonly at: string;
  readonly expected: string;
  /** Absent when nothing was there. */
  readonly actual?: Json;
  /** `e17`. */
  readonly exchange: string;
  /** Short digest of requirement, operation variant, pointer with indexes as `[]`, class of the actual value. */
  readonly signature: string;
}

/** What a requirement says of a trace. The field order is that of `report.json`. */
export interface RequirementVerdict {
  readonly id: string;
  readonly kind: Kind;
  readonly family: string;
  readonly operations: readonly string[];
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** An untested reason with its detail (`not-configured: model role vision`), the cause of `inconclusive`, the erratum of `excused`. */
  readonly reason: string | null;
  readonly observations: number;
  readonly baseline: string | null;
  /** Sorted by exchange, then pointer; at most 20 are kept, `findingsTotal` counts all. */
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
}

export interface ChoiceVerdict {
  readonly id: string;
  readonly spec: string;
  readonly says: string;
  readonly taken: readonly string[];
  readonly consistent: boolean;
}

/** An erratum that was needed. */
export interface ErratumVerdict {
  readonly id: string;
  readonly reason: string;
  /** Disagreements that it excused, and calls of operations under another path. */
  readonly times: number;
  /** Ids of the requirements that had disagreed. */
  readonly requirements: readonly string[];
}

export interface OperationVerdict {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly family: string;
  readonly claimed: boolean;
  /** How many 2xx answers the trace holds, of the variant that the family means. */
  readonly exercised: number;
  /** How long its exchanges took together, each from its first byte sent to its last byte received; absent in older reports. */
  readonly milliseconds?: number;
  /** True when every answer says that the target does not offer it (404, 405, 501 to known-good requests). */
  readonly notImplemented: boolean;
}

/** Everything a judge says of one trace; reports are pure functions of it. */
export interface Judgement {
  readonly requirements: readonly RequirementVerdict[];
  readonly choices: readonly ChoiceVerdict[];
  readonly operations: readonly OperationVerdict[];
  /** The errata of the dialect in force that were needed. */
  readonly errata: readonly ErratumVerdict[];
  /** One line per root cause: what blocked how many requirements. */
  readonly blockers: readonly {
    readonly exchange: string;
    readonly message: string;
    readonly requirements: number;
  }[];
  readonly stopReason: StopReason;
  /** What was said when the run stopped early. */
  readonly stopMessage?: string | null;
  /** What the driver or the recorder had to say. */
  readonly remarks?: readonly string[];
  /** What was seen of the states that the specification draws; absent where nobody followed them. */
  readonly states?: readonly LifeVerdict[];
  readonly cost: { readonly requests: number; readonly bytes: number; readonly tokens: number };
}

export interface Gate {
  readonly verdict: 'conforms' | 'does-not-conform' | 'cannot-tell';
  readonly exitCode: 0 | 1 | 2;
  /** Why, a line each, most serious first. */
  readonly reasons: readonly string[];
}
