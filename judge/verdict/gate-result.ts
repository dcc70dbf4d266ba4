import type { Stop, StopReason } from '../../exchange/note.ts';
import type { Level } from '../requirements/requirement.ts';
import type { BreakdownFacts } from './cause.ts';

export interface GateResult {
  /** Whether the target conforms, whatever the exit code. */
  readonly verdict: 'conforms' | 'does-not-conform' | 'cannot-tell';
  /** 0: conforms, or failures are only reported; 1: does not conform; 2: evidence is missing. */
  readonly exitCode: 0 | 1 | 2;
  /** Most serious first; empty if the target conforms without exception. */
  readonly reasons: readonly GateReason[];
}

export interface SharedFault {
  /** How many requirements show it or are undecided because of it; at least 2. */
  readonly requirements: number;
  readonly fault: BreakdownFacts;
}

/** Failures that a gate can tolerate: invalid requests are accepted, or widely used clients lose or garble data. */
export type Tolerable = 'lenient-validation' | 'clients';

/** A reason for the decision of a gate. `operations` are distinct ids; `count` is a number of requirements. */
export type GateReason =
  | { readonly kind: 'baseline'; readonly problem: BaselineProblem }
  /** Failing requirements, counted as in `FailureCount`; `consequences` is absent if it is 0. */
  | {
      readonly kind: 'broken';
      readonly level: Level;
      readonly count: number;
      readonly consequences?: number;
      /** Faults that several of them share, the most common first; absent if there are none. */
      readonly faults?: readonly SharedFault[];
    }
  /** MUSTs of a kind that a gate can tolerate; `broken` does not count them. Tolerated ones do not fail the run. */
  | {
      readonly kind: Tolerable;
      readonly count: number;
      readonly operations: readonly string[];
      /** Ids of these requirements; only for `clients`, whose requirements share no entry of a baseline. */
      readonly ids?: readonly string[];
      readonly tolerated: boolean;
    }
  /** A choice that the dialect pins to one alternative, although the target takes another, perhaps besides it. */
  | {
      readonly kind: 'pinned-choice';
      readonly id: string;
      readonly pinned: string;
      readonly taken: readonly string[];
    }
  | { readonly kind: 'not-implemented'; readonly operations: readonly string[] }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly stop: Stop | null }
  /** A check or a scenario threw, which is a bug in assay or in an extension. */
  | { readonly kind: 'defects'; readonly count: number }
  | { readonly kind: 'nothing-judged' }
  /** Claimed operations without any accepted request. */
  | { readonly kind: 'not-exercised'; readonly operations: readonly string[] }
  /** Only MUST requirements; `faults` as in `broken`. */
  | { readonly kind: 'inconclusive'; readonly count: number; readonly faults?: readonly SharedFault[] }
  | { readonly kind: 'known-failures'; readonly count: number; readonly consequences?: number }
  /** Undecided MUSTs that are accepted: `byBaseline` of them by the baseline, the rest by --allow-inconclusive. */
  | { readonly kind: 'accepted-undecided'; readonly count: number; readonly byBaseline?: number };

export type BaselineProblem = { readonly id: string } & (
  | { readonly why: 'other-finding'; readonly signature: string | null; readonly at: string }
  /** No requirement, or no choice, has the id. `nearest`: similar ids; absent without any, and in older reports. */
  | { readonly why: 'unknown' | 'unknown-choice'; readonly nearest?: readonly string[] }
  /** The requirement passes although it is listed as failing or as undecided. */
  | { readonly why: 'passes' | 'decided' }
  /** Like `passes` or `decided`, but the run was limited to some scenarios: others may still show the failure. */
  | { readonly why: 'selection-passes' }
  /** An intermittent entry whose requirement passes. `tries`: pieces of evidence in this run. */
  | { readonly why: 'not-shown'; readonly tries: number }
  /** The operation now rejects this many `kinds` of invalid requests that it accepted when the entry was written. */
  | { readonly why: 'partly-passes'; readonly kinds: number }
  /** `expires`: the last valid day, such as `2027-01-31`. `others`: ids of further entries with that day, if any. */
  | { readonly why: 'expired'; readonly expires: string; readonly others?: readonly string[] }
);
