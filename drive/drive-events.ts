import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import type { AwaitedState, Hint, Stop, StopReason } from '../exchange/note.ts';
import type { FamilyName } from '../schemas/index.ts';
import type { LeftoverResource } from './cleanup/delete-resources.ts';
import type { NarrowedClaims } from './preflight/narrow-claims.ts';
import type { RunCost } from './run-session.ts';
import type { ScenarioEnding } from './scenario/scenario-runner.ts';
import type { CurrentWait } from './wait-reports.ts';

/** An event of a run while it drives its scenarios. */
export type DriveEvent =
  /** What the target offers, found by requests, and the models that it lists; null where it returns no list. */
  | {
      readonly kind: 'claimed';
      readonly claims: NarrowedClaims['claims'];
      readonly unaffordable: NarrowedClaims['unaffordable'];
      readonly refused: NarrowedClaims['refused'];
      readonly models: readonly string[] | null;
    }
  /** Claimed families and operations that the target does not offer, and the families that it does. */
  | {
      readonly kind: 'claim-not-offered';
      readonly names: readonly string[];
      readonly offered: readonly FamilyName[];
    }
  /** How many scenarios will run, and how many are left out by filters, costs or claims; the first event. */
  | { readonly kind: 'selected'; readonly run: number; readonly skipped: number }
  /** Advice on the configuration, for the person who waits. */
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** A scenario begins; several are in progress at a time. */
  | { readonly kind: 'started'; readonly scenario: string; readonly spent: RunCost }
  | {
      readonly kind: 'ended';
      readonly scenario: string;
      readonly ending: ScenarioEnding;
      readonly done: number;
      readonly spent: RunCost;
    }
  /** Nothing has ended for a while: what a scenario waits for. */
  | { readonly kind: 'waits'; readonly wait: CurrentWait }
  /** All that is to be recorded is recorded; the cassette is made of it now. */
  | { readonly kind: 'recorded' };

/** How a run went, apart from what the trace proves. */
export interface DriveSummary {
  /** `completed`, or the class of the cause that ended the run early. */
  readonly stopReason: StopReason;
  /** Why it ended before its scenarios did; null when it did not. */
  readonly stop: Stop | null;
  /** `blocked`: scenarios that ended because a step on which they depend was refused. */
  readonly scenarios: { readonly run: number; readonly skipped: number; readonly blocked: number };
  /** Scenarios that failed through our own fault, with what was thrown. */
  readonly crashed: readonly { readonly scenario: string; readonly message: string }[];
  /** Resources that are still on the target, each with the reason. */
  readonly leftovers: readonly LeftoverResource[];
  /** Scenarios that timed out and whose objects stay on the target for a later run, with the awaited states. */
  readonly waiting: readonly { readonly scenario: string; readonly wait: AwaitedState | null }[];
  readonly spent: RunCost;
  /**
   * Whether the recorded items are those of the cassette. False where a secret became known after it may have been
   * recorded, which the cassette replaces, where exchanges were left out for one, and where an exchange has no end.
   */
  readonly asRecorded: boolean;
  /** Exchanges that were left out of the cassette because of a known secret; null for none. */
  readonly quarantined: Quarantined | null;
}
