import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../exchange/exchange.ts';
import type { Json } from '../exchange/http/body.ts';
import type { AwaitedState, Missing, Obstacle } from '../exchange/note.ts';
import { messageOf } from '../schemas/error-message.ts';
import { operation as operationOf } from '../schemas/index.ts';
import { deleteResources, type JobWaits, type LeftoverResource } from './cleanup/delete-resources.ts';
import { createdIds, deletionPlanOf } from './cleanup/deletion-plan.ts';
import type { ResourceLedger } from './cleanup/resource-ledger.ts';
import type { ResumeState } from './resume-state.ts';
import type { RunSession } from './run-session.ts';
import { callResultOf, confirmsDeletion, obstacleOf, requestOf, valueAt } from './scenario/call-result.ts';
import {
  type CallInput,
  type CallResult,
  type RoleName,
  RunStopped,
  type Scenario,
  ScenarioBlocked,
  type ScenarioContext,
  ScenarioNotConfigured,
  ScenarioWaiting,
} from './scenario/scenario.ts';

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

/**
 * Milliseconds between two polls at most: a job of hours is not polled more often than needed, but its end is
 * seen soon.
 */
const LONGEST_PAUSE = 5_000;

/** Milliseconds after which the clock of a target, too, shows another second. */
const SURELY = 1_100;

/** The state that a scenario shares with its run, and its own tag. */
export interface ScenarioRuntime {
  /** Part of every name that the scenario chooses. */
  readonly tag: string;
  readonly session: RunSession;
  readonly ledger: ResourceLedger;
  /** Responses of the run that is resumed; null for a new run. */
  readonly resumeState: ResumeState | null;
  readonly jobWaits: JobWaits;
  readonly waitReports: WaitReports;
}

/** The context of a scenario that runs against a target; its creations are listed in the ledger. */
export class TargetScenarioContext implements ScenarioContext {
  readonly tag: string;
  readonly #scenario: string;
  readonly #session: RunSession;
  readonly #ledger: ResourceLedger;
  readonly #resumeState: ResumeState | null;
  readonly #waitReports: WaitReports;
  /** Calls in progress; a scenario may end, or throw, before all of them are answered. */
  readonly #calls = new Set<Promise<CallResult>>();
  /**
   * True once the scenario has ended. A forgotten call would otherwise create a resource after the cleanup.
   */
  #isOver = false;
  /** Number of unknown ids made, which makes each of them different. */
  #unknown = 0;

  constructor(scenario: string, { tag, session, ledger, resumeState, waitReports }: ScenarioRuntime) {
    this.#scenario = scenario;
    this.tag = tag;
    this.#session = session;
    this.#ledger = ledger;
    this.#resumeState = resumeState;
    this.#waitReports = waitReports;
  }

  call(operation: string, input: CallInput = {}): Promise<CallResult> {
    const call = this.#called(operation, input);
    this.#calls.add(call);
    const forget = () => this.#calls.delete(call);
    call.then(forget, forget);
    return call;
  }

  /** Waits for the calls of a scenario that is over, so that none creates a resource after the cleanup. */
  async settled(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#calls);
  }

  /**
   * Sends one call, unless the resumed run has its response. A creation is listed in the ledger before it is
   * sent.
   */
  async #called(operation: string, input: CallInput): Promise<CallResult> {
    if (this.#isOver) throw new RunStopped('the scenario is over');
    const known = await this.#resumeState?.answer(this.#session.configuration, operation, input);
    if (known != null) return callResultOf(known);
    const row = operationOf(operation);
    const entry =
      deletionPlanOf(row) === null ? null : this.#ledger.intent(this.#scenario, operation, this.tag);
    const exchange = await this.#session.exchange({ scenario: this.#scenario }, operation, input);
    if (entry !== null) this.#settle(entry, operation, exchange);
    const result = callResultOf(exchange);
    if (row.method === 'DELETE' && confirmsDeletion(result))
      this.#forget(Object.values(input.path ?? {}), operation);
    return result;
  }

  async need(operation: string, input: CallInput = {}): Promise<CallResult> {
    const result = await this.call(operation, input);
    if (result.ok) return result;
    throw new ScenarioBlocked(result.exchange.id, obstacleOf(result));
  }

  async poll(operation: string, input: CallInput, settled: (json: Json) => boolean): Promise<CallResult> {
    const { timeout, target } = this.#session.configuration;
    const deadline = performance.now() + 2000 * timeout;
    // The reference answers at once; a remote service is first asked again after a quarter of a
    // second.
    let wait = target.embedded ? 5 : 250;
    for (;;) {
      const result = await this.call(operation, input);
      if (result.json !== undefined && result.ok && settled(result.json)) return result;
      if (result.status !== null && result.status >= 400 && result.status <= 499) return result;
      if (this.#resumeState?.holds(result.exchange)) continue;
      if (performance.now() + wait > deadline) return this.#late(result);
      const most = Math.round((deadline - performance.now()) / 1000);
      const { method, path } = requestOf(result.exchange);
      this.#waitReports.seen({ scenario: this.#scenario, method, path, state: stateOf(result), most });
      await pause(wait);
      wait = Math.min(wait * 1.6, LONGEST_PAUSE);
    }
  }

  download(url: string): Promise<Exchange | null> {
    return this.#session.download({ scenario: this.#scenario }, url);
  }

  async nextSecond(): Promise<void> {
    if (this.#resumeState?.more) return;
    await pause(SURELY / this.#session.configuration.target.pace);
  }

  model(role: RoleName): string {
    const id = this.#session.configuration.models[role];
    if (id === undefined) throw new ScenarioNotConfigured({ what: 'model', role });
    return id;
  }

  unknownId(prefix: string): string {
    this.#unknown += 1;
    // The same again where a later run goes on with this one.
    const digest = createHash('sha256').update(`${this.tag} ${this.#unknown}`).digest('hex');
    return `${prefix}${digest.slice(0, 24)}`;
  }

  /** Unfinished objects are left for a later run; without one, the scenario continues with what is available. */
  #late(result: CallResult): CallResult {
    const { target, allowInconclusive } = this.#session.configuration;
    const { id } = result.exchange;
    const note = {
      note: 'deadline',
      scenario: this.#scenario,
      exchange: id,
      state: stateOf(result),
    } as const;
    const isOnItsWay = result.ok && typeof valueAt(result.json, '/status') === 'string';
    if (target.embedded || allowInconclusive || !isOnItsWay) {
      this.#session.note(note);
      return result;
    }
    this.#session.note({ ...note, tag: this.tag });
    throw new ScenarioWaiting({ ...requestOf(result.exchange), state: note.state });
  }

  /**
   * Records what a creation made. An exchange without a complete response leaves the entry as intended: the
   * object may exist.
   */
  #settle(entry: number, operation: string, exchange: Exchange): void {
    const id = createdIds(operationOf(operation), exchange);
    if (id !== null) this.#ledger.made(entry, id);
    else if (exchange.end.how === 'complete') this.#ledger.nothing(entry);
  }

  /** Objects that a scenario has deleted need no cleanup. */
  #forget(ids: readonly string[], operation: string): void {
    for (const id of ids) {
      const entry = this.#ledger.holds(id);
      if (entry === undefined) continue;
      if (deletionPlanOf(operationOf(entry.operation))?.operation === operation)
        this.#ledger.gone(entry.n, 'deleted');
    }
  }
}

/** The state in a response as notes show it: its field `status`, or the HTTP status. */
function stateOf(result: CallResult): string {
  const status = valueAt(result.json, '/status');
  return typeof status === 'string' ? status : `HTTP ${result.status ?? 'nothing'}`;
}

/** What a run waits for. */
export interface CurrentWait extends AwaitedState {
  readonly scenario: string;
  /** Seconds after which it goes on without. */
  readonly most: number;
}

/** Milliseconds without a word after which a run says what it waits for. */
const QUIET = 10_000;

/** Tells what a run waits for, where nothing else was to be told for a while. */
export class WaitReports {
  readonly #publish: (wait: CurrentWait) => void;
  readonly #now: () => number;
  #last: number;

  constructor(publish: (wait: CurrentWait) => void, now: () => number = () => performance.now()) {
    this.#publish = publish;
    this.#now = now;
    this.#last = now();
  }

  /** Something else was told. */
  told(): void {
    this.#last = this.#now();
  }

  /** A look at what is waited for showed that it has not come. */
  seen(wait: CurrentWait): void {
    if (this.#now() - this.#last < QUIET) return;
    this.told();
    this.#publish(wait);
  }
}
