import type { CassetteWriter } from '../../exchange/cassette/cassette-writer.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { Hint } from '../../exchange/note.ts';
import { JobWaits } from '../cleanup/job-waits.ts';
import { ResourceLedger } from '../cleanup/resource-ledger.ts';
import type { DriveEvent, DriveSummary } from '../drive-events.ts';
import { type Claims, notOffered, offersNothing, resolveClaims } from '../preflight/claims.ts';
import { configureModels } from '../preflight/models/configure-models.ts';
import { narrowClaims } from '../preflight/narrow-claims.ts';
import { PreflightClient } from '../preflight/preflight-client.ts';
import { openRecorder, type RecordingPlan } from '../recorder.ts';
import { type PreviousRun, readPreviousRun } from '../resume-state.ts';
import { RunSession } from '../run-session.ts';
import { parseBaseUrl } from '../target/base-url.ts';
import { WaitReports } from '../wait-reports.ts';
import { discoverScenarios } from './discover.ts';
import { lanesOf, listsSharedObjects } from './lanes.ts';
import type { Scenario } from './scenario.ts';
import { runScenario } from './scenario-runner.ts';
import { runGroups, type ScheduledTask } from './scheduler.ts';
import { type ScenarioSelection, selectScenarios } from './select.ts';

/** Everything that decides a run. */
export interface RunPlan extends RecordingPlan {
  /** File of the ledger. */
  readonly ledger: string;
  /** Folder whose suites run. */
  readonly suites: string;
  /** Part of every name that the run gives on the target. */
  readonly tag: string;
  /** Aborting it ends the run cleanly. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DriveEvent) => void;
}

/** The scenarios that the earlier run left waiting; the others are complete. */
function waitingScenarios(offered: readonly Scenario[], { resumeStates }: PreviousRun): ScenarioSelection {
  return { run: offered.filter(({ name }) => resumeStates.has(name)), skipped: [] };
}

/** One run: finds the target and the scenarios, runs them, and finishes the cassette. */
export class ScenarioRun {
  readonly #scenarios: readonly Scenario[];
  readonly #plan: RunPlan;
  readonly #session: RunSession;
  readonly #recorder: CassetteWriter;
  readonly #ledger: ResourceLedger;
  /** Scenarios that threw, with the message: defects of assay, which a report shows as such. */
  readonly #crashed: { scenario: string; message: string }[] = [];
  readonly #jobWaits = new JobWaits();
  readonly #waitReports: WaitReports;
  readonly #leftovers: DriveSummary['leftovers'][number][] = [];
  readonly #waiting: DriveSummary['waiting'][number][] = [];
  /** The run that this one resumes; null for a new run. */
  readonly #earlier: PreviousRun | null;
  readonly #skipped: number;
  #blocked = 0;
  /** Scenarios that have ended, whatever their ending. */
  #done = 0;

  /** Looks for the target, then opens ledger and cassette; where no target responds, the run has stopped before it begins. */
  static async begin(plan: RunPlan): Promise<ScenarioRun> {
    const scenarios = await discoverScenarios(plan.suites);
    const preflight = new PreflightClient(plan.configuration);
    try {
      return await ScenarioRun.#begin(plan, scenarios, preflight);
    } catch (error) {
      await preflight.close();
      throw error;
    }
  }

  /** As `begin`; the caller closes the preflight client where this rejects. */
  static async #begin(
    plan: RunPlan,
    scenarios: readonly Scenario[],
    preflight: PreflightClient,
  ): Promise<ScenarioRun> {
    const { signal } = plan;
    const earlier = plan.resume ? await readPreviousRun(plan.cassette, plan.ledger) : null;
    const missing = await preflight.awaited(plan.configuration.waitFor, signal);
    const claims = await claimsOf(plan, missing === null ? scenarios : null, preflight);
    const claimed = claimedNames(claims);
    const { configuration, hints } =
      missing === null && earlier === null
        ? await configureModels(plan.configuration, { scenarios, claimed, preflight })
        : { configuration: plan.configuration, hints: [] };
    if (missing === null && earlier === null && claims.how === 'given')
      await announceMissing(claimed, preflight, plan);
    const aimed: RunPlan = { ...plan, configuration };
    const recorder = openRecorder(aimed, claims);
    try {
      const session = new RunSession(configuration, recorder, preflight);
      if (earlier !== null) noteResumption(earlier, session);
      stopOnAbort(session, signal);
      const { target, waitFor } = configuration;
      const { baseUrl } = target;
      const waited = waitFor > 0 ? { waited: waitFor } : {};
      if (missing !== null)
        session.stop({ reason: 'target-unreachable', baseUrl, strange: null, detail: missing, ...waited });
      else if (earlier === null) await stopWhereNothingIsOffered(session, preflight, claimed);
      for (const hint of hints) publishHint(hint, session, plan);
      const offered = session.stopped === null ? scenarios : [];
      const selection =
        earlier === null
          ? selectScenarios(offered, configuration, claimed)
          : waitingScenarios(offered, earlier);
      return new ScenarioRun(aimed, { recorder, session, selection, earlier });
    } catch (error) {
      recorder.close();
      throw error;
    }
  }

  /** Notes the skipped scenarios and opens the ledger, once the trace has its header. */
  private constructor(
    plan: RunPlan,
    {
      recorder,
      session,
      selection: { run, skipped },
      earlier,
    }: {
      readonly recorder: CassetteWriter;
      readonly session: RunSession;
      readonly selection: ScenarioSelection;
      readonly earlier: PreviousRun | null;
    },
  ) {
    const { configuration, tag } = plan;
    for (const skip of skipped) session.note({ note: 'scenario-skipped', ...skip });
    const { betaHeader, target } = configuration;
    this.#earlier = earlier;
    this.#ledger =
      earlier === null
        ? ResourceLedger.create(plan.ledger, { ledger: 1, baseUrl: target.baseUrl, betaHeader, tag })
        : ResourceLedger.reopen(plan.ledger).ledger;
    this.#plan = plan;
    this.#waitReports = new WaitReports((wait) => plan.onProgress({ kind: 'waits', wait }));
    this.#recorder = recorder;
    this.#session = session;
    this.#skipped = skipped.length;
    this.#scenarios = run;
    plan.onProgress({ kind: 'selected', run: run.length, skipped: skipped.length });
  }

  /** Performs all scenarios; gives the errors of those that could not even be performed, as where the disk is full. */
  performAll(): Promise<readonly unknown[]> {
    const { target, concurrency } = this.#plan.configuration;
    // On the reference every run sees the same: what lists the objects of others begins when none are made.
    const late = target.embedded ? this.#scenarios.filter(listsSharedObjects) : [];
    const together = this.#scenarios.filter((scenario) => !late.includes(scenario));
    const inTurn = lanesOf(late).map((lanes) => lanes.map(({ scenarios }) => this.#task(scenarios)));
    return runGroups([together.map((scenario) => this.#task([scenario])), ...inTurn], concurrency);
  }

  /** Scenarios one after the other. */
  #task(scenarios: readonly Scenario[]): ScheduledTask {
    return async () => {
      for (const scenario of scenarios) await this.#perform(scenario);
    };
  }

  /**
   * Runs one scenario under its tag. A resumed one keeps the tag of the earlier run, as its objects are named
   * after it.
   */
  async #perform(scenario: Scenario): Promise<void> {
    const { name } = scenario;
    const { onProgress } = this.#plan;
    const tag =
      this.#earlier?.waitingScenarios.find((one) => one.scenario === name)?.tag ??
      `${this.#plan.tag}-${this.#scenarios.indexOf(scenario) + 1}`;
    const resumeState = this.#earlier?.resumeStates.get(name) ?? null;
    onProgress({ kind: 'started', scenario: name, spent: this.#session.spent });
    const { ending, leftovers } = await runScenario(scenario, {
      tag,
      session: this.#session,
      ledger: this.#ledger,
      resumeState,
      jobWaits: this.#jobWaits,
      waitReports: this.#waitReports,
    });
    if (ending.outcome === 'crashed') this.#crashed.push({ scenario: name, message: ending.message });
    if (ending.outcome === 'waiting') this.#waiting.push({ scenario: name, wait: ending.wait });
    if (ending.outcome === 'blocked') this.#blocked += 1;
    this.#leftovers.push(...leftovers);
    this.#done += 1;
    const { spent } = this.#session;
    this.#waitReports.told();
    onProgress({ kind: 'ended', scenario: name, ending, done: this.#done, spent });
  }

  /** Hangs up, completes the cassette and closes the ledger. */
  async finish(): Promise<DriveSummary> {
    const stopped = this.#session.stopped;
    // In this order: the last exchanges end, are stored and judged; only then is the cassette made of the
    // journal.
    await this.#session.close();
    await this.#recorder.settled();
    const { isWhole } = this.#recorder;
    this.#plan.receiver?.end();
    this.#plan.onProgress({ kind: 'recorded' });
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

/** Stops the session when the signal aborts, at once where it has aborted already. */
function stopOnAbort(session: RunSession, signal: AbortSignal): void {
  const stop = () => session.stop({ reason: 'interrupted' });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
}

/** The claims of a run. A target that does not answer (`scenarios` is null) cannot be asked what it offers. */
async function claimsOf(
  { configuration, onProgress }: RunPlan,
  scenarios: readonly Scenario[] | null,
  preflight: PreflightClient,
): Promise<Claims> {
  const { claim } = configuration;
  const claims = await resolveClaims(scenarios === null && claim === 'auto' ? 'all' : claim, preflight);
  if (claims.how !== 'auto' || scenarios === null) return claims;
  const narrowed = await narrowClaims(claims, { configuration, scenarios, preflight });
  onProgress({ kind: 'claimed', ...narrowed, models: preflight.models });
  return narrowed.claims;
}

/** Says which of the names the target does not offer, with what it does; nothing where it offers all of them, or nothing at all. */
async function announceMissing(
  names: readonly string[],
  preflight: PreflightClient,
  { configuration, onProgress }: RunPlan,
): Promise<void> {
  if (configuration.target.embedded) return;
  const missing = await notOffered(names, preflight);
  if (missing.length === 0) return;
  const { families: offered } = await resolveClaims('auto', preflight);
  if (offered.length > 0) onProgress({ kind: 'claim-not-offered', names: missing, offered });
}

/** Adds a hint to the trace, and shows it to the person who waits. */
function publishHint(hint: Hint, session: RunSession, { onProgress }: RunPlan): void {
  session.note({ note: 'hint', hint });
  onProgress({ kind: 'hint', hint });
}

/** Stops the session where the path of the base URL, and those of the claimed families, answer 404: the URL is wrong. */
async function stopWhereNothingIsOffered(
  session: RunSession,
  preflight: PreflightClient,
  claimed: readonly string[],
): Promise<void> {
  const { embedded, baseUrl } = session.configuration.target;
  if (embedded || preflight.status !== 404) return;
  const { origin, prefix } = parseBaseUrl(baseUrl);
  if (await offersNothing(claimed, preflight))
    session.stop({ reason: 'target-unreachable', baseUrl, strange: { origin, prefix }, detail: null });
}

/** Notes which scenarios of the earlier run go on, so that a check of the trace does not count them as interrupted. */
function noteResumption({ waitingScenarios: waiting }: PreviousRun, session: RunSession): void {
  session.note({ note: 'resumed', scenarios: waiting.map(({ scenario }) => scenario) });
}
