import type { Obstacle, Skip, StopReason } from '../../exchange/note.ts';
import type { SuppressingAlternative } from '../requirements/catalogue.ts';
import type { Needed } from '../requirements/needed.ts';
import type { Breakdown } from '../requirements/refusal-causes.ts';

/** Causes for which a baseline entry may accept an undecided MUST, because they lie in the target's behaviour. */
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

/** Causes that may be absent in another run against the same, unchanged service. */
const CHANCE_CAUSES: readonly Cause['kind'][] = ['capacity', 'model'];

/** The reason why a verdict is neither pass, fail nor warn, as facts that reports put into words. */
export type Cause =
  | SkipCause
  /** The run ended before the end of a scenario that shows the requirement. */
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'not-feasible'; readonly says: string }
  /** Operations that the target does not offer; empty for all operations of the requirement. */
  | { readonly kind: 'not-implemented'; readonly operations: readonly string[] }
  | { readonly kind: 'blocked'; readonly exchange: string; readonly obstacle: Obstacle }
  /** `expected`: for `inconclusive`, the scenario that shows the requirement on every conforming target. */
  | { readonly kind: 'no-evidence'; readonly expected?: ExpectedFrom; readonly choice?: ChosenAlternative }
  /** The target failed, such as with a 5xx, or the model was free to reply differently. */
  | { readonly kind: 'target-error' | 'model'; readonly exchange: string }
  | { readonly kind: 'capacity'; readonly exchange: string; readonly arrival: Arrival | null }
  /** The target failed whenever a request had certain features. `exchange` is the first one left undecided. */
  | { readonly kind: 'breakdown'; readonly exchange: string; readonly faults: readonly BreakdownFacts[] }
  /** No usable response arrived, or the key was refused. */
  | { readonly kind: 'protocol' | 'authentication'; readonly exchange: string; readonly arrival: Arrival }
  | { readonly kind: 'nesting' }
  /** `state`: the last state before the deadline. */
  | { readonly kind: 'deadline'; readonly exchange: string; readonly state: string }
  | { readonly kind: 'erratum'; readonly id: string; readonly reason: string }
  | { readonly kind: 'scenario-crashed'; readonly scenario: string; readonly message: string }
  | { readonly kind: 'defect'; readonly message: string };

export type SkipCause =
  /** `family` is null if none of the requirement's families is claimed. */
  | { readonly kind: 'not-claimed'; readonly family: string | null }
  /** `globs` is empty if the requirement itself is filtered out, not its scenario; `by` is null in older reports. */
  | {
      readonly kind: 'filtered';
      readonly by: Pick<Extract<Skip, { readonly reason: 'filtered' }>, 'option' | 'globs'> | null;
    }
  | { readonly kind: 'not-allowed'; readonly cost: string }
  | {
      readonly kind: 'not-configured';
      readonly missing: Extract<Skip, { readonly reason: 'not-configured' }>['missing'];
    };

export interface BreakdownFacts extends Omit<Breakdown, 'subject' | 'exchanges'> {
  /** The id in baselines: `createChatCompletion:accepts#body.stop`. */
  readonly id: string;
}

export type ChosenAlternative = Omit<SuppressingAlternative, 'patterns'>;

export interface ExpectedFrom {
  /** The first of the completed scenarios: `completions.stop`. */
  readonly scenario: string;
  /** How many scenarios completed without showing the requirement, if several; `received` then covers all of them. */
  readonly scenarios?: number;
  /** One entry for each operation of the requirement that was called, in the order of the requirement. */
  readonly received: readonly Received[];
  /** The evidence that would have shown it; absent if an extension does not describe it. */
  readonly needed?: Needed;
  /** The exchanges that came closest, in order; absent if there are none, or if unknown. */
  readonly nearest?: readonly string[];
}

export interface Received {
  readonly operation: string;
  readonly exchange: string;
  /** Responses by status; `none` counts requests without a status line. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly emptyPages: number;
  /** Distinct event names; chunks have none. */
  readonly events: readonly string[];
}

export type Arrival =
  /** `detail` comes from the ending of the exchange. */
  | { readonly what: 'reset' | 'timeout'; readonly detail: string | null }
  | { readonly what: 'undecodable'; readonly codings: readonly string[] }
  | { readonly what: 'answered'; readonly status: number | null };

const LEFT_OUT_KINDS: readonly (Cause['kind'] | undefined)[] = ['not-claimed', 'filtered'];
const OPTION_KINDS: readonly (Cause['kind'] | undefined)[] = [
  ...LEFT_OUT_KINDS,
  'not-allowed',
  'not-configured',
];

export function isLeftOut(cause: Cause | null): boolean {
  return LEFT_OUT_KINDS.includes(cause?.kind);
}

export function isByOption(cause: Cause | null): boolean {
  return OPTION_KINDS.includes(cause?.kind);
}

export function causeOfSkip(skip: Skip): SkipCause {
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

export function isByChance(cause: Cause): boolean {
  return CHANCE_CAUSES.includes(cause.kind);
}

export function isLasting({ kind }: Cause): boolean {
  return LASTING_CAUSES.includes(kind);
}
