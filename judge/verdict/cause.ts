import type { EarlierSkip, Obstacle, Skip } from '../../exchange/note.ts';
import type { Needed } from '../requirements/needed.ts';
import type { FailedShare } from '../requirements/refusals.ts';

/**
 * Why a verdict is neither pass, fail nor warn, as facts: reports make the words. The groups belong to
 * `untested`, `inconclusive`, `excused` and `error`, in this order; `blocked` and `no-evidence` belong to
 * `inconclusive` if the evidence was expected.
 */
export type Cause =
  | SkipCause
  /** `says` is the sentence with which the catalogue explains that no request can show it. */
  | { readonly kind: 'not-feasible'; readonly says: string }
  /** Operations that the target does not offer; empty when all those of the requirement are meant. */
  | { readonly kind: 'not-implemented'; readonly operations: readonly string[] }
  | { readonly kind: 'blocked'; readonly exchange: string; readonly obstacle: Obstacle }
  /** `expected` is set if the verdict is `inconclusive`: this scenario shows the requirement on every target that conforms. */
  | { readonly kind: 'no-evidence'; readonly expected?: ExpectedFrom }
  /** The target failed with a 5xx, or the model was free to answer otherwise. */
  | { readonly kind: 'target-error' | 'model'; readonly exchange: string }
  /** `arrival` is null if the target had no capacity left for, or did not answer in time to, the request that matters. */
  | { readonly kind: 'capacity'; readonly exchange: string; readonly arrival: Arrival | null }
  /**
   * The target failed, with 429, 5xx or no answer in time, each time that a request had certain features: a fault that another run meets
   * again. `exchange` is the first that it leaves without a decision.
   */
  | { readonly kind: 'breakdown'; readonly exchange: string; readonly faults: readonly BreakdownFacts[] }
  /** No answer, or no stream, of the operation ever arrived whole. */
  | { readonly kind: 'protocol' | 'authentication'; readonly exchange: string; readonly arrival: Arrival }
  /** An answer is nested too deeply to be read. */
  | { readonly kind: 'nesting' }
  /** `state`: the last one before the deadline. */
  | { readonly kind: 'deadline'; readonly exchange: string; readonly state: string }
  | { readonly kind: 'erratum'; readonly id: string; readonly reason: string }
  | { readonly kind: 'scenario-crashed'; readonly scenario: string; readonly message: string }
  /** A check of assay threw. */
  | { readonly kind: 'defect'; readonly message: string };

/** An option of the run, or what the configuration lacks, left it out. */
export type SkipCause =
  /** `family` is null if none of the requirement's families is claimed. */
  | { readonly kind: 'not-claimed'; readonly family: string | null }
  /** `globs` is empty if the requirement itself, not its scenario, is filtered out; `by` is null there in older reports. */
  | {
      readonly kind: 'filtered';
      readonly by: Pick<Extract<Skip, { readonly reason: 'filtered' }>, 'option' | 'globs'> | null;
    }
  | { readonly kind: 'not-allowed'; readonly cost: string }
  | {
      readonly kind: 'not-configured';
      readonly missing: Extract<Skip, { readonly reason: 'not-configured' }>['missing'];
    }
  /** From a cassette or report of version 0.1 or earlier, which has text instead of facts. */
  | { readonly kind: Skip['reason']; readonly detail: string };

/** Features of requests with which a target fails each time. */
export interface BreakdownFacts {
  /** As baselines name it: `createChatCompletion:accepts#body.stop`. */
  readonly id: string;
  readonly features: readonly string[];
  /** Distinct statuses; null is no response in time. */
  readonly statuses: readonly (number | null)[];
  /** Valid requests with these features, and without them, that failed or were accepted. */
  readonly with: FailedShare;
  readonly without: FailedShare;
}

/**
 * A scenario that ran to its end without showing the requirement, and what it received from the operations
 * concerned.
 */
export interface ExpectedFrom {
  readonly scenario: string;
  /**
   * How many scenarios ran to their end without showing it, if more than one; `received` then covers all of
   * them.
   */
  readonly scenarios?: number;
  readonly received: readonly Received[];
  /** The evidence that would have shown it; absent if an extension does not say. */
  readonly needed?: Needed;
  /** Ids of the exchanges that came nearest to it, in their order; absent if none did, or if unknown. */
  readonly nearest?: readonly string[];
}

/** What one scenario received from one operation. */
export interface Received {
  readonly operation: string;
  /** Id of the first exchange. */
  readonly exchange: string;
  /** How often each status came; `none` counts requests without a status line. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Lists without an element. */
  readonly emptyPages: number;
  /** Names of events, in the order in which they first came; chunks have none. */
  readonly events: readonly string[];
}

/** How an answer arrived that shows nothing. */
export type Arrival =
  /** `detail` is that of the exchange's end. */
  | { readonly what: 'reset' | 'timeout'; readonly detail: string | null }
  /** The content codings that could not be undone. */
  | { readonly what: 'undecodable'; readonly codings: readonly string[] }
  | { readonly what: 'answered'; readonly status: number | null };

const LEFT_OUT: readonly (Cause['kind'] | undefined)[] = ['not-claimed', 'filtered'];
const BY_OPTION: readonly (Cause['kind'] | undefined)[] = [...LEFT_OUT, 'not-allowed', 'not-configured'];

/** True if the run was not meant to judge the requirement: it was not claimed, or filtered out. */
export function isLeftOut(cause: Cause | null): boolean {
  return LEFT_OUT.includes(cause?.kind);
}

/** True if options or missing configuration of the run, not the target, kept the requirement from being judged. */
export function isByOption(cause: Cause | null): boolean {
  return BY_OPTION.includes(cause?.kind);
}

export function causeOfSkip(skip: Skip | EarlierSkip): SkipCause {
  if ('detail' in skip) return { kind: skip.reason, detail: skip.detail };
  switch (skip.reason) {
    case 'not-claimed':
      return { kind: skip.reason, family: skip.family };
    case 'filtered':
      return { kind: skip.reason, by: { option: skip.option, globs: skip.globs } };
    case 'not-allowed':
      return { kind: skip.reason, cost: skip.cost };
    case 'not-configured':
      return { kind: skip.reason, missing: skip.missing };
    default:
      return skip satisfies never;
  }
}

/**
 * Kinds of causes for which a baseline may accept an undecided MUST: those that lie in the target's
 * behaviour. After overload or a refused key, the run should be repeated.
 */
export const LASTING_CAUSES: readonly Cause['kind'][] = [
  'no-evidence',
  'blocked',
  'target-error',
  'model',
  'deadline',
  'protocol',
  'nesting',
  'breakdown',
];

/** Kinds of causes that another run of the same, unchanged service may not meet. */
const CHANCE_CAUSES: readonly Cause['kind'][] = ['capacity', 'model'];

/** Whether chance decides if a run meets the cause: a model was free, or the service was busy or lost a connection. */
export function isByChance(cause: Cause): boolean {
  return CHANCE_CAUSES.includes(cause.kind);
}

/** Whether a baseline may accept what could not be decided for this cause. */
export function isLasting({ kind }: Cause): boolean {
  return LASTING_CAUSES.includes(kind);
}
