import { cleanUp, type Leftover } from './cleanup.ts';
import type { Ledger } from './ledger.ts';
import { Blocked, NotConfigured, type Scenario, Stopped } from './scenario.ts';
import type { Session } from './session.ts';
import { ScenarioStage } from './stage.ts';

export interface Performance {
  readonly outcome: 'done' | 'blocked' | 'not-configured' | 'crashed' | 'stopped';
  readonly message: string | null;
  readonly leftovers: readonly Leftover[];
}

/** Runs one scenario, notes in the trace how it went, and removes what it made. Never rejects. */
export async function perform(
  scenario: Scenario,
  tag: string,
  session: Session,
  ledger: Ledger,
): Promise<Performance> {
  const { name } = scenario;
  if (session.stopped !== null)
    return { outcome: 'stopped', message: session.stopped.message, leftovers: [] };
  session.note({ note: 'scenario-started', scenario: name });
  const { outcome, message } = await attempt(
    scenario,
    new ScenarioStage(name, tag, session, ledger),
    session,
  );
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
