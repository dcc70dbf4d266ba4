import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../exchange/exchange.ts';
import type { Json } from '../exchange/http/body.ts';
import type { AwaitedState, MissingSetting, Obstacle } from '../exchange/note.ts';
import { messageOf } from '../schemas/error-message.ts';
import { operation as operationOf } from '../schemas/index.ts';
import { deleteResources, type LeftoverResource } from './cleanup/delete-resources.ts';
import { createdId, deletionPlanOf } from './cleanup/deletion-plan.ts';
import type { JobWaits } from './cleanup/job-waits.ts';
import type { ResourceLedger } from './cleanup/resource-ledger.ts';
import { hasTag } from './cleanup/run-tag.ts';
import type { ResumeState } from './resume-state.ts';
import type { RunSession } from './run-session.ts';
import { callResultOf, confirmsDeletion, obstacleOf, requestOf, valueAt } from './scenario/call-result.ts';
import type { RoleName } from './scenario/model-roles.ts';
import {
  type CallInput,
  type CallResult,
  RequestNotSent,
  RunStopped,
  refuseUnknownInput,
  type Scenario,
  ScenarioBlocked,
  type ScenarioContext,
  ScenarioNotConfigured,
  ScenarioWaiting,
} from './scenario/scenario.ts';
import type { WaitReports } from './scenario/wait-reports.ts';

export type ScenarioEnding =
  | { readonly outcome: 'done' | 'stopped' }
  /** The scenario's resources stay for a later run. `wait` is null if the run ended before the next poll. */
  | { readonly outcome: 'waiting'; readonly wait: AwaitedState | null }
  | { readonly outcome: 'blocked'; readonly by: string; readonly obstacle: Obstacle }
  | { readonly outcome: 'not-configured'; readonly missing: MissingSetting }
  /** `message` comes from the error that the scenario threw, which is a bug in the scenario or in assay. */
  | { readonly outcome: 'crashed'; readonly message: string };

export interface ScenarioResult {
  readonly ending: ScenarioEnding;
  /** Resources that cleanup could not remove; empty for a waiting scenario, whose resources are kept. */
  readonly leftovers: readonly LeftoverResource[];
}

export interface ScenarioRuntime {
  readonly tag: string;
  readonly session: RunSession;
  readonly ledger: ResourceLedger;
  /** What the scenario exchanged in the earlier run; null unless it is resumed. */
  readonly resumeState: ResumeState | null;
  /** Limits how long cleanup polls cancelled jobs, over all scenarios. */
  readonly jobWaits: JobWaits;
  readonly waitReports: WaitReports;
}

/** Longest pause between two polls, so that the end of an hours-long job is noticed soon. */
const MAX_POLL_PAUSE_MS = 5_000;
const LATE_WAIT_DIVISOR = 8;
/** A pause after which the clock of any target shows a later second. */
const NEXT_SECOND_MS = 1_100;
const MAX_STREAMS = 12;
/** How long before the end of a second the next stream starts, in durations of the last stream. */
const STREAMS_BEFORE_SECOND = 2;
/** Duration below which a stream is not requested again: a second rarely ends within it. */
const MIN_STREAM_MS = 5;

/** Rejects only for a disk failure. */
export async function runScenario(scenario: Scenario, runtime: ScenarioRuntime): Promise<ScenarioResult> {
  const { name } = scenario;
  const { session, ledger, resumeState, jobWaits } = runtime;
  // A resumed scenario that the end of the run interrupts keeps waiting.
  const interruptedEnding: ScenarioEnding =
    resumeState === null ? { outcome: 'stopped' } : { outcome: 'waiting', wait: null };
  if (session.stopped !== null) return { ending: interruptedEnding, leftovers: [] };
  if (resumeState === null) session.note({ note: 'scenario-started', scenario: name });
  const context = new TargetScenarioContext(name, runtime);
  const ownEnding = await runToEnding(scenario, context, session);
  await context.finishCalls();
  const ending = ownEnding.outcome === 'stopped' ? interruptedEnding : ownEnding;
  if (ending.outcome === 'waiting') return { ending, leftovers: [] };
  const leftovers = await deleteResources(ledger, ledger.entriesToClean(name), {
    call: (operation, input) => session.sendCall({ scenario: name, cleanup: true }, operation, input),
    fetchUnknownPath: () => session.fetchUnknownPath(),
    waits: jobWaits,
  });
  session.note({ note: 'scenario-ended', scenario: name });
  return { ending, leftovers };
}

async function runToEnding(
  scenario: Scenario,
  context: TargetScenarioContext,
  session: RunSession,
): Promise<ScenarioEnding> {
  const { name } = scenario;
  try {
    await scenario.run(context);
    if (context.unmet !== null) throw context.unmet;
    return { outcome: 'done' };
  } catch (error) {
    if (error instanceof ScenarioWaiting) return { outcome: 'waiting', wait: error.wait };
    // After the end of the run any error may be its consequence, so it does not count as a crash.
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

export class TargetScenarioContext implements ScenarioContext {
  /** Tag of the run and number of the scenario: `assay-0123456789-3`. */
  readonly tag: string;
  readonly version: 'v1' | 'v2' | undefined;
  readonly #scenario: string;
  readonly #runtime: ScenarioRuntime;
  /** Calls in flight; a scenario may end, or throw, before all of them have ended. */
  readonly #calls = new Set<Promise<CallResult>>();
  /** True once the scenario has ended. A forgotten call would otherwise create a resource after the cleanup. */
  #hasEnded = false;
  #unknownIds = 0;
  #unmet: ScenarioBlocked | null = null;

  constructor(scenario: string, runtime: ScenarioRuntime) {
    this.#scenario = scenario;
    this.#runtime = runtime;
    this.tag = runtime.tag;
    this.version = runtime.session.configuration.version;
  }

  /** Sends a request unless the resumed run has its exchange. */
  call(operation: string, input: CallInput = {}): Promise<CallResult> {
    const call = this.#send(operation, input);
    this.#calls.add(call);
    const forget = () => this.#calls.delete(call);
    call.then(forget, forget);
    return call;
  }

  async finishCalls(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled(this.#calls);
  }

  async #send(operation: string, input: CallInput): Promise<CallResult> {
    if (this.#hasEnded) throw new RunStopped('the scenario has ended');
    refuseUnknownInput(operation, input);
    const { session, resumeState, ledger } = this.#runtime;
    const recorded = await resumeState?.take(session.configuration, operation, input);
    if (recorded != null) return callResultOf(recorded);
    const definition = operationOf(operation);
    const isTracked = deletionPlanOf(definition) !== null;
    const recordIntent = () => (isTracked ? ledger.recordIntent(this.#scenario, operation, this.tag) : null);
    let entry = recordIntent();
    // The entry of the earlier attempt stays `intended`, and the next one gets its own.
    const mayHaveCreated = () => {
      entry = recordIntent();
    };
    const { body = null, form = [] } = input;
    const sentTexts = [body, ...form.map((part) => ('value' in part ? part.value : part.filename))];
    const purpose = { scenario: this.#scenario, ...(hasTag(sentTexts, this.tag) && { mayHaveCreated }) };
    const exchange = await session.sendCall(purpose, operation, input).catch((error: unknown) => {
      if (entry !== null && error instanceof RequestNotSent) ledger.record(entry, 'nothing');
      throw error;
    });
    if (entry !== null) {
      const id = createdId(definition, exchange);
      if (id !== null) ledger.record(entry, 'made', { id });
      // Without a complete response the entry stays `intended`, because the object may exist.
      else if (exchange.end.how === 'complete') ledger.record(entry, 'nothing');
    }
    const result = callResultOf(exchange);
    if (definition.method === 'DELETE' && confirmsDeletion(result))
      this.#recordDeletion(Object.values(input.path ?? {}), operation);
    return result;
  }

  async need(operation: string, input: CallInput = {}): Promise<CallResult> {
    const result = await this.call(operation, input);
    if (result.ok) return result;
    throw new ScenarioBlocked(result.exchange.id, obstacleOf(result));
  }

  async want(operation: string, input: CallInput = {}): Promise<CallResult | null> {
    const result = await this.call(operation, input);
    if (result.ok) return result;
    this.#unmet ??= new ScenarioBlocked(result.exchange.id, obstacleOf(result));
    return null;
  }

  /** The error for the first call of `want` without a 2xx response; null if there is none. */
  get unmet(): ScenarioBlocked | null {
    return this.#unmet;
  }

  /**
   * Repeats a call until `settled`, a 4xx, or the deadline: twice the timeout, or an eighth of that for an operation
   * that was late before. Throws ScenarioWaiting if a later run can resume the wait.
   */
  async poll(operation: string, input: CallInput, settled: (json: Json) => boolean): Promise<CallResult> {
    const { timeout, target } = this.#runtime.session.configuration;
    const fullWait = 2000 * timeout;
    const wasLate = this.#runtime.session.lateOperations.has(operation);
    const deadline = performance.now() + (wasLate ? fullWait / LATE_WAIT_DIVISOR : fullWait);
    // The reference responds at once; a remote service is polled again after a quarter of a second.
    let wait = target.embedded ? 5 : 250;
    for (;;) {
      const result = await this.call(operation, input);
      if (result.json !== undefined && result.ok && settled(result.json)) return result;
      if (result.status !== null && result.status >= 400 && result.status <= 499) return result;
      if (this.#runtime.resumeState?.holds(result.exchange)) continue;
      if (performance.now() + wait > deadline) return this.#endWait(operation, result);
      const most = Math.round((deadline - performance.now()) / 1000);
      const awaited = { ...requestOf(result.exchange), state: stateOf(result) };
      this.#runtime.waitReports.report({ scenario: this.#scenario, ...awaited, most });
      await pause(wait);
      wait = Math.min(wait * 1.6, MAX_POLL_PAUSE_MS);
    }
  }

  download(url: string): Promise<Exchange | null> {
    return this.#runtime.session.download({ scenario: this.#scenario }, url);
  }

  /** Waits 1.1 s by the clock of the target; returns at once while earlier responses are left to use. */
  async nextSecond(): Promise<void> {
    if (this.#runtime.resumeState?.hasMore) return;
    await pause(NEXT_SECOND_MS / this.#runtime.session.configuration.target.pace);
  }

  async acrossSeconds(operation: string, input: CallInput): Promise<CallResult> {
    for (let n = 1; ; n += 1) {
      const sentAt = Date.now();
      const result = await this.call(operation, input);
      const pieces = result.exchange.response?.pieces ?? [];
      const first = pieces[0]?.at ?? 0;
      const last = pieces.at(-1)?.at ?? 0;
      const isCrossed = Math.floor((sentAt + first) / 1000) < Math.floor((sentAt + last) / 1000);
      // The embedded reference has a clock of its own.
      const isHopeless =
        !result.ok || last - first < MIN_STREAM_MS || this.#runtime.session.configuration.target.embedded;
      const isEnough = isCrossed || isHopeless;
      if (isEnough || n === MAX_STREAMS || this.#runtime.resumeState?.holds(result.exchange)) return result;
      // Starts the next stream some time before a second ends, because it is hard to predict when its pieces arrive.
      const untilNextSecond = 1000 - (Date.now() % 1000);
      const startBefore = STREAMS_BEFORE_SECOND * (Date.now() - sentAt);
      if (untilNextSecond > startBefore) await pause(untilNextSecond - startBefore);
    }
  }

  model(role: RoleName): string {
    const id = this.#runtime.session.configuration.models[role];
    if (id === undefined) throw new ScenarioNotConfigured({ what: 'model', role });
    return id;
  }

  modelField(role: RoleName): Readonly<Record<string, string>> {
    const model = this.#runtime.session.configuration.models[role];
    return model === undefined ? {} : { model };
  }

  /** The prefix and 24 hex digits: new in each call, but the same when the run is resumed. */
  unknownId(prefix: string): string {
    this.#unknownIds += 1;
    const digest = createHash('sha256').update(`${this.tag} ${this.#unknownIds}`).digest('hex');
    return `${prefix}${digest.slice(0, 24)}`;
  }

  #endWait(operation: string, result: CallResult): CallResult {
    const { target, allowInconclusive } = this.#runtime.session.configuration;
    const state = stateOf(result);
    const { id: exchange } = result.exchange;
    const note = { note: 'deadline', scenario: this.#scenario, exchange, state } as const;
    const isInProgress = result.ok && typeof valueAt(result.json, '/status') === 'string';
    if (!isInProgress) this.#runtime.session.lateOperations.add(operation);
    if (target.embedded || allowInconclusive || !isInProgress) {
      this.#runtime.session.note(note);
      return result;
    }
    this.#runtime.session.note({ ...note, tag: this.tag });
    throw new ScenarioWaiting({ ...requestOf(result.exchange), state });
  }

  #recordDeletion(ids: readonly string[], operation: string): void {
    for (const id of ids) {
      const entry = this.#runtime.ledger.entryOf(id);
      if (entry !== undefined && deletionPlanOf(operationOf(entry.operation))?.operation === operation)
        this.#runtime.ledger.record(entry.n, 'gone', { how: 'deleted' });
    }
  }
}

function stateOf(result: CallResult): string {
  const status = valueAt(result.json, '/status');
  if (typeof status === 'string') return status;
  return result.status === null ? 'no response' : `HTTP ${result.status}`;
}
