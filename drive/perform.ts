import { cleanUp, type Leftover } from './cleanup.ts';
import type { Ledger } from './ledger.ts';
import type { Recall } from './recall.ts';
import { Blocked, NotConfigured, type Scenario, Stopped, Waiting } from './scenario.ts';
import type { Session } from './session.ts';
import { ScenarioStage } from './stage.ts';

export interface Performance {
  /** `waiting`: what it made stays on the target, for a later run to go on. */
  readonly outcome: 'done' | 'waiting' | 'blocked' | 'not-configured' | 'crashed' | 'stopped';
  readonly message: string | null;
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
  const stopped = recall === null ? 'stopped' : 'waiting';
  if (session.stopped !== null) return { outcome: stopped, message: session.stopped.message, leftovers: [] };
  if (recall === null) session.note({ note: 'scenario-started', scenario: name });
  const stage = new ScenarioStage(name, tag, session, ledger, recall);
  const { outcome, message } = await attempt(scenario, stage, session);
  await stage.settled();
  if (outcome === 'waiting' || (outcome === 'stopped' && recall !== null))
    return { outcome: 'waiting', message, leftovers: [] };
  const leftovers = await cleanUp(ledger, ledger.open(name), (operation, input) =>
    session.exchange({ scenario: name, cleanup: true }, operation, input),
  );
  session.note({ note: 'scenario-ended', scenario: name });
  return { outcome, message, leftovers };
}

async function attempt(
  scenario: Scenario,
  stage: ScenarioStage,
  session: Session,
): Promise<Omit<Performance, 'leftovers'>> {
  const { name } = scenario;
  try {
    await scenario.run(stage);
    return { outcome: 'done', message: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Waiting) return { outcome: 'waiting', message };
    if (error instanceof Stopped || session.stopped !== null) return { outcome: 'stopped', message };
    if (error instanceof Blocked) {
      session.note({ note: 'blocked', scenario: name, by: error.by, message });
      return { outcome: 'blocked', message };
    }
    if (error instanceof NotConfigured) {
      session.note({ note: 'scenario-skipped', scenario: name, reason: 'not-configured', detail: message });
      return { outcome: 'not-configured', message };
    }
    session.note({ note: 'scenario-crashed', scenario: name, message });
    return { outcome: 'crashed', message };
  }
}
