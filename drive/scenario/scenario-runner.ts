import type { AwaitedState, Missing, Obstacle } from '../../exchange/note.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { deleteResources, type LeftoverResource } from '../cleanup/delete-resources.ts';
import type { ResumeState } from '../resume-state.ts';
import type { RunSession } from '../run-session.ts';
import {
  RunStopped,
  type Scenario,
  ScenarioBlocked,
  ScenarioNotConfigured,
  ScenarioWaiting,
} from './scenario.ts';
import { type ScenarioRuntime, TargetScenarioContext } from './scenario-context.ts';

/** How a scenario ended. */
export type ScenarioEnding =
  /** `stopped`: the run ended before the scenario did. */
  | { readonly outcome: 'done' | 'stopped' }
  /** Its resources stay on the target, for a later run to resume it. `wait` is null where the run ended before its next poll. */
  | { readonly outcome: 'waiting'; readonly wait: AwaitedState | null }
  /** `by` is the id of the exchange that blocked it. */
  | { readonly outcome: 'blocked'; readonly by: string; readonly obstacle: Obstacle }
  | { readonly outcome: 'not-configured'; readonly missing: Missing }
  /** `message` is that of the error that the scenario threw, a defect of assay. */
  | { readonly outcome: 'crashed'; readonly message: string };

/** A scenario that was run, and what it left on the target. */
export interface ScenarioResult {
  readonly ending: ScenarioEnding;
  readonly leftovers: readonly LeftoverResource[];
}

/**
 * Runs one scenario, adds notes on it to the trace, and removes the resources that it created, unless it waits for a later run.
 * Never rejects.
 */
export async function runScenario(scenario: Scenario, runtime: ScenarioRuntime): Promise<ScenarioResult> {
  const { name } = scenario;
  const { session, ledger, resumeState, jobWaits } = runtime;
  if (session.stopped !== null) return { ending: cutOff(resumeState), leftovers: [] };
  if (resumeState === null) session.note({ note: 'scenario-started', scenario: name });
  const context = new TargetScenarioContext(name, runtime);
  const ending = await attempt(scenario, context, session);
  await context.settled();
  const kept = ending.outcome === 'stopped' ? cutOff(resumeState) : ending;
  if (kept.outcome === 'waiting') return { ending: kept, leftovers: [] };
  const leftovers = await deleteResources(ledger, ledger.open(name), {
    call: (operation, input) => session.exchange({ scenario: name, cleanup: true }, operation, input),
    unknownPath: () => session.unknownPath(),
    waits: jobWaits,
  });
  session.note({ note: 'scenario-ended', scenario: name });
  return { ending, leftovers };
}

/** The ending of a scenario that the end of the run interrupts: a resumed one keeps waiting. */
function cutOff(resumeState: ResumeState | null): ScenarioEnding {
  return resumeState === null ? { outcome: 'stopped' } : { outcome: 'waiting', wait: null };
}

/** Runs the scenario and translates what it throws into an ending, with a note where the judge needs one. */
async function attempt(
  scenario: Scenario,
  context: TargetScenarioContext,
  session: RunSession,
): Promise<ScenarioEnding> {
  const { name } = scenario;
  try {
    await scenario.run(context);
    return { outcome: 'done' };
  } catch (error) {
    if (error instanceof ScenarioWaiting) return { outcome: 'waiting', wait: error.wait };
    // After the end of the run any error may be its consequence, so it is not counted as a crash.
    if (error instanceof RunStopped || session.stopped !== null) return { outcome: 'stopped' };
    if (error instanceof ScenarioBlocked) {
      const { by, obstacle } = error;
      session.note({ note: 'blocked', scenario: name, by, obstacle });
      return { outcome: 'blocked', by, obstacle };
    }
    if (error instanceof ScenarioNotConfigured) {
      const { missing } = error;
      session.note({ note: 'scenario-skipped', scenario: name, reason: 'not-configured', missing });
      return { outcome: 'not-configured', missing };
    }
    const message = messageOf(error);
    session.note({ note: 'scenario-crashed', scenario: name, message });
    return { outcome: 'crashed', message };
  }
}
