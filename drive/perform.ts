import type { AwaitedState, Missing, Obstacle } from '../exchange/note.ts';
import { cleanUp, type Leftover } from './cleanup.ts';
import type { Ledger } from './ledger.ts';
import type { Recall } from './recall.ts';
import { Blocked, NotConfigured, type Scenario, Stopped, Waiting } from './scenario.ts';
import type { Session } from './session.ts';
import { ScenarioStage } from './stage.ts';

/** How a scenario ended. */
export type ScenarioEnding =
  /** `stopped`: the run ended before the scenario did. */
  | { readonly outcome: 'done' | 'stopped' }
  /** What it made stays on the target, for a later run to go on. `wait` is null where the run ended before its turn came again. */
  | { readonly outcome: 'waiting'; readonly wait: AwaitedState | null }
  /** `by` is the id of the exchange that blocked it. */
  | { readonly outcome: 'blocked'; readonly by: string; readonly obstacle: Obstacle }
  | { readonly outcome: 'not-configured'; readonly missing: Missing }
  /** `message` is that of the error that the scenario threw, a defect of assay. */
  | { readonly outcome: 'crashed'; readonly message: string };

/** A scenario that was run, and what it left on the target. */
export interface Performance {
  readonly ending: ScenarioEnding;
  readonly leftovers: readonly Leftover[];
}

/**
 * Runs one scenario, notes in the trace how it went, and removes what it made, unless it waits. `recall`: what it was
 * answered in an earlier run, with which it goes on. Never rejects.
 */
export async function perform(
  scenario: Scenario,
  tag: string,
  session: Session,
  ledger: Ledger,
  recall: Recall | null = null,
): Promise<Performance> {
  const { name } = scenario;
  if (session.stopped !== null) return { ending: cutOff(recall), leftovers: [] };
  if (recall === null) session.note({ note: 'scenario-started', scenario: name });
  const stage = new ScenarioStage(name, tag, session, ledger, recall);
  const ending = await attempt(scenario, stage, session);
  await stage.settled();
  const kept = ending.outcome === 'stopped' ? cutOff(recall) : ending;
  if (kept.outcome === 'waiting') return { ending: kept, leftovers: [] };
  const leftovers = await cleanUp(ledger, ledger.open(name), (operation, input) =>
    session.exchange({ scenario: name, cleanup: true }, operation, input),
  );
  session.note({ note: 'scenario-ended', scenario: name });
  return { ending, leftovers };
}

/** What becomes of a scenario when the run ends: one that goes on with an earlier run waits further. */
function cutOff(recall: Recall | null): ScenarioEnding {
  return recall === null ? { outcome: 'stopped' } : { outcome: 'waiting', wait: null };
}

async function attempt(scenario: Scenario, stage: ScenarioStage, session: Session): Promise<ScenarioEnding> {
  const { name } = scenario;
  try {
    await scenario.run(stage);
    return { outcome: 'done' };
  } catch (error) {
    if (error instanceof Waiting) return { outcome: 'waiting', wait: error.wait };
    if (error instanceof Stopped || session.stopped !== null) return { outcome: 'stopped' };
    if (error instanceof Blocked) {
      const { by, obstacle } = error;
      session.note({ note: 'blocked', scenario: name, by, obstacle });
      return { outcome: 'blocked', by, obstacle };
    }
    if (error instanceof NotConfigured) {
      const { missing } = error;
      session.note({ note: 'scenario-skipped', scenario: name, reason: 'not-configured', missing });
      return { outcome: 'not-configured', missing };
    }
    const message = error instanceof Error ? error.message : String(error);
    session.note({ note: 'scenario-crashed', scenario: name, message });
    return { outcome: 'crashed', message };
  }
}
