import type { CassetteWriter } from '../exchange/cassette/write.ts';
import type { TraceReceiver } from '../exchange/trace-receiver.ts';
import { baseUrl } from './base-url.ts';
import { findClaims, isNothingThere } from './claims.ts';
import type { RunConfiguration } from './configuration.ts';
import { discover } from './discover.ts';
import { unlisted } from './first-look.ts';
import { lanesOf, listsOthers } from './lanes.ts';
import { Ledger } from './ledger.ts';
import { perform } from './perform.ts';
import type { Progress, Summary } from './progress.ts';
import { type EarlierRun, earlierRun } from './recall.ts';
import { openRecorder } from './recorder.ts';
import type { Scenario } from './scenario.ts';
import { runGroups, type Task } from './scheduler.ts';
import { Scout } from './scout.ts';
import { type Selection, select } from './select.ts';
import { Session } from './session.ts';

/** What one run is made of. */
export interface RunErrand {
  readonly configuration: RunConfiguration;
  readonly cassette: string;
  readonly ledger: string;
  /** Folder whose suites run. */
  readonly suites: string;
  /** Part of every name that the run gives on the target. */
  readonly tag: string;
  /** Go on with what the run in this cassette and this ledger left waiting. */
  readonly resume: boolean;
  /** Aborting it ends the run cleanly. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Receives the traffic while it is recorded; not for a run that is resumed. */
  readonly receiver: TraceReceiver | null;
}

/** One run: finds the target and the scenarios, performs them, and completes the cassette. */
export class ScenarioRun {
  readonly #scenarios: readonly Scenario[];
  readonly #errand: RunErrand;
  readonly #session: Session;
  readonly #recorder: CassetteWriter;
  readonly #ledger: Ledger;
  readonly #crashed: { scenario: string; message: string }[] = [];
  readonly #leftovers: Summary['leftovers'][number][] = [];
  readonly #waiting: Summary['waiting'][number][] = [];
  readonly #earlier: EarlierRun | null;
  readonly #skipped: number;
  #blocked = 0;
  #done = 0;

  /** Opens ledger and journal, then looks for the target; where none answers the run is over before it began. */
  static async begin(errand: RunErrand): Promise<ScenarioRun> {
    const scenarios = await discover(errand.suites);
    const scout = new Scout(errand.configuration);
    try {
      return await ScenarioRun.#begin(errand, scenarios, scout);
    } catch (error) {
      await scout.close();
      throw error;
    }
  }

  static async #begin(errand: RunErrand, scenarios: readonly Scenario[], scout: Scout): Promise<ScenarioRun> {
    const { configuration, signal } = errand;
    const earlier = errand.resume ? await earlierRun(errand.cassette, errand.ledger) : null;
    const missing = await scout.awaited(configuration.waitFor, signal);
    // A target that does not answer cannot be asked what it offers.
    const claim = missing !== null && configuration.claim === 'auto' ? 'all' : configuration.claim;
    const claims = await findClaims(claim, scout);
    const recorder = openRecorder(errand, claims);
    try {
      const session = new Session(configuration, recorder, scout);
      if (earlier !== null)
        session.note({ note: 'resumed', scenarios: earlier.waits.map(({ scenario }) => scenario) });
      const stop = () => session.stop({ reason: 'interrupted' });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      const unreachable = { reason: 'target-unreachable', baseUrl: configuration.target.baseUrl } as const;
      if (missing !== null) session.stop({ ...unreachable, strange: null, detail: missing });
      else if (!configuration.target.embedded && scout.status === 404 && earlier === null) {
        const { origin, prefix } = baseUrl(configuration.target.baseUrl);
        if (await isNothingThere(claims.families, scout))
          session.stop({ ...unreachable, strange: { origin, prefix }, detail: null });
      }
      const hint = unlisted(configuration, scout.models);
      if (hint !== null && earlier === null) {
        session.note({ note: 'hint', hint });
        errand.onProgress({ kind: 'hint', hint });
      }
      const offered = session.stopped === null ? scenarios : [];
      const selection =
        earlier === null
          ? select(offered, configuration, claims.families)
          : { run: offered.filter(({ name }) => earlier.recalls.has(name)), skipped: [] };
      return new ScenarioRun(errand, { recorder, session, selection, earlier });
    } catch (error) {
      recorder.close();
      throw error;
    }
  }

  private constructor(
    errand: RunErrand,
    {
      recorder,
      session,
      selection: { run, skipped },
      earlier,
    }: {
      readonly recorder: CassetteWriter;
      readonly session: Session;
      readonly selection: Selection;
      readonly earlier: EarlierRun | null;
    },
  ) {
    const { configuration, tag } = errand;
    for (const skip of skipped) session.note({ note: 'scenario-skipped', ...skip });
    const { betaHeader, target } = configuration;
    this.#earlier = earlier;
    this.#ledger =
      earlier === null
        ? Ledger.create(errand.ledger, { ledger: 1, baseUrl: target.baseUrl, betaHeader, tag })
        : Ledger.reopen(errand.ledger).ledger;
    this.#errand = errand;
    this.#recorder = recorder;
    this.#session = session;
    this.#skipped = skipped.length;
    this.#scenarios = run;
    errand.onProgress({ kind: 'selected', run: run.length, skipped: skipped.length });
  }

  /** Performs all scenarios; gives the errors of those that could not even be performed, as where the disk is full. */
  performAll(): Promise<readonly unknown[]> {
    const { target, concurrency } = this.#errand.configuration;
    // On the reference every run sees the same: what lists the objects of others begins when none are made.
    const late = target.embedded ? this.#scenarios.filter(listsOthers) : [];
    const together = this.#scenarios.filter((scenario) => !late.includes(scenario));
    const inTurn = lanesOf(late).map((lanes) => lanes.map(({ scenarios }) => this.#task(scenarios)));
    return runGroups([together.map((scenario) => this.#task([scenario])), ...inTurn], concurrency);
  }

  /** Scenarios one after the other. */
  #task(scenarios: readonly Scenario[]): Task {
    return async () => {
      for (const scenario of scenarios) await this.#perform(scenario);
    };
  }

  async #perform(scenario: Scenario): Promise<void> {
    const { name } = scenario;
    const { onProgress } = this.#errand;
    const tag =
      this.#earlier?.waits.find((one) => one.scenario === name)?.tag ??
      `${this.#errand.tag}-${this.#scenarios.indexOf(scenario) + 1}`;
    const recall = this.#earlier?.recalls.get(name) ?? null;
    onProgress({ kind: 'started', scenario: name, spent: this.#session.spent });
    const { ending, leftovers } = await perform(scenario, tag, this.#session, this.#ledger, recall);
    if (ending.outcome === 'crashed') this.#crashed.push({ scenario: name, message: ending.message });
    if (ending.outcome === 'waiting') this.#waiting.push({ scenario: name, wait: ending.wait });
    if (ending.outcome === 'blocked') this.#blocked += 1;
    this.#leftovers.push(...leftovers);
    this.#done += 1;
    const { spent } = this.#session;
    onProgress({ kind: 'ended', scenario: name, ending, done: this.#done, spent });
  }

  /** Hangs up, completes the cassette and closes the ledger. */
  async finish(): Promise<Summary> {
    const stopped = this.#session.stopped;
    await this.#session.close();
    await this.#recorder.settled();
    const { isWhole } = this.#recorder;
    this.#errand.receiver?.end();
    this.#errand.onProgress({ kind: 'recorded' });
    const quarantined = this.#recorder.finish();
    this.#ledger.close();
    return {
      stopReason: stopped?.reason ?? 'completed',
      stop: stopped,
      scenarios: { run: this.#done, skipped: this.#skipped, blocked: this.#blocked },
      crashed: this.#crashed,
      leftovers: this.#leftovers,
      waiting: this.#waiting,
      spent: this.#session.spent,
      asRecorded: isWhole && !this.#recorder.learnedLate && quarantined === null,
      quarantined,
    };
  }
}
