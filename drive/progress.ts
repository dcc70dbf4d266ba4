import type { StopReason } from '../exchange/trace.ts';
import type { Leftover } from './cleanup.ts';
import type { Performance } from './perform.ts';
import type { Spent } from './session.ts';

/** What a run reports while it drives. */
export type Progress =
  | { readonly kind: 'selected'; readonly run: number; readonly skipped: number }
  /** Advice on the configuration, for the person who waits. */
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
  /**
   * Whether the recorded items are those of the cassette. False where a secret became known after it may have been
   * recorded, which the cassette replaces, and where an exchange has no end.
   */
  readonly asRecorded: boolean;
}
