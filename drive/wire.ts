import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import type { StopReason } from '../exchange/trace.ts';
import type { Leftover } from './cleanup.ts';
import type { RunConfiguration } from './configuration.ts';
import type { Performance } from './perform.ts';
import type { Spent } from './session.ts';

/** What the main thread hands to the worker. */
export interface Errand {
  readonly configuration: RunConfiguration;
  /** Name of the broadcast channel between the two. */
  readonly channel: string;
  readonly cassette: string;
  readonly ledger: string;
  /** Folder whose suites run. */
  readonly suites: string;
  readonly tag: string;
  /** Go on with what the run in this cassette and this ledger left waiting. */
  readonly resume: boolean;
}

/** What the worker tells while it runs. */
export type Progress =
  | { readonly kind: 'selected'; readonly run: number; readonly skipped: number }
  /** Something to be told at once. */
  | { readonly kind: 'hint'; readonly message: string }
  | { readonly kind: 'started'; readonly scenario: string; readonly spent: Spent }
  | ({
      readonly kind: 'ended';
      readonly scenario: string;
      readonly done: number;
      readonly spent: Spent;
    } & Pick<Performance, 'outcome' | 'message'>)
  /** All that is to be recorded is recorded; the cassette is made of it now. */
  | { readonly kind: 'recorded' };

export type FromWorker =
  | Progress
  /** Only now can the worker be told to stop. */
  | { readonly kind: 'listening' }
  | { readonly kind: 'finished'; readonly summary: Summary };

export interface ToWorker {
  readonly stop: { readonly reason: StopReason; readonly message: string };
}

/** How a run went, apart from what the trace proves. */
export interface Summary {
  readonly stopReason: StopReason;
  readonly message: string | null;
  readonly scenarios: { readonly run: number; readonly skipped: number; readonly blocked: number };
  /** Scenarios that failed through our own fault, with what was thrown. */
  readonly crashed: readonly { readonly scenario: string; readonly message: string }[];
  readonly leftovers: readonly Leftover[];
  /** Scenarios whose objects stay on the target for a later run to go on, with what was waited for in vain. */
  readonly waiting: readonly { readonly scenario: string; readonly message: string }[];
  readonly spent: Spent;
  /** A secret was learned after it may have been written: it stands in the journal, not in the cassette. */
  readonly learnedLate: boolean;
  /** Exchanges that were left out of the cassette because of a known secret; null where there are none. */
  readonly quarantined: Quarantined | null;
}
