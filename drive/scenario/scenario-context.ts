import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { createdIds, deletionPlanOf } from '../cleanup/deletion-plan.ts';
import type { JobWaits } from '../cleanup/job-waits.ts';
import type { ResourceLedger } from '../cleanup/resource-ledger.ts';
import type { ResumeState } from '../resume-state.ts';
import type { RunSession } from '../run-session.ts';
import type { WaitReports } from '../wait-reports.ts';
import { callResultOf, confirmsDeletion, obstacleOf, requestOf, valueAt } from './call-result.ts';
import {
  type CallInput,
  type CallResult,
  type RoleName,
  RunStopped,
  ScenarioBlocked,
  type ScenarioContext,
  ScenarioNotConfigured,
  ScenarioWaiting,
} from './scenario.ts';

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
