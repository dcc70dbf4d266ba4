import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CassetteWriter } from '../exchange/cassette/cassette-writer.ts';
import { finishCassette } from '../exchange/cassette/finish.ts';
import { CassetteError } from '../exchange/cassette/folder.ts';
import type { TraceReceiver } from '../exchange/cassette/lines.ts';
import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import { claimedNames } from '../exchange/claims.ts';
import type { AwaitedState, Hint, Stop, StopReason } from '../exchange/note.ts';

import { messageOf } from '../schemas/error-message.ts';
import { type FamilyName, families, operation } from '../schemas/index.ts';
import { JobWaits, type LeftoverResource } from './cleanup/delete-resources.ts';
import { ResourceLedger } from './cleanup/resource-ledger.ts';
import { parseBaseUrl } from './configuration/base-url.ts';
import { ConfigurationError, type RunConfiguration } from './configuration/configuration.ts';
import {
  type Claims,
  type NarrowedClaims,
  narrowClaims,
  notOffered,
  offersNothing,
  resolveClaims,
} from './preflight/claims.ts';
import { configureModels } from './preflight/models.ts';
import { PreflightClient } from './preflight/preflight-client.ts';
import {
  discoverScenarios,
  type ScenarioSelection,
  selectScenarios,
  suitesFolder,
} from './preflight/select.ts';
import { openRecorder, type RecordingPlan } from './recorder.ts';
import { type PreviousRun, readPreviousRun } from './resume-state.ts';
import { type RunCost, RunSession } from './run-session.ts';
import type { Scenario } from './scenario/scenario.ts';
import { type CurrentWait, runScenario, type ScenarioEnding, WaitReports } from './scenario-runner.ts';

export type { LeftoverResource } from './cleanup/delete-resources.ts';

/** Surroundings of a run that do not change its requests; all fields are optional. */
export interface DriveOptions {
  /** Called synchronously for each event; what it throws breaks the run off. */
  readonly onProgress?: (progress: DriveEvent) => void;
  /** Aborting it ends the run cleanly: what is on its way is hung up, what was made is removed, the journal is closed. */
  readonly signal?: AbortSignal;
  /** Folder whose `*.suite.ts|js` are run; our own unless given. */
  readonly suites?: string;
  /** Go on with what an earlier run in this report folder left waiting; the configuration is that of the earlier run. */
  readonly resume?: boolean;
  /** Receives the traffic while it is recorded; nothing of a run that is resumed. */
  readonly receiver?: TraceReceiver;
}

/** Where a run left its traces. */
export interface DriveResult extends DriveSummary {
  /** Directory of the cassette, with a closed journal. */
  readonly cassette: string;
  /** File that lists what the run created; `assay cleanup` reads it. */
  readonly ledger: string;
}

/** Where a run leaves its cassette. */
export function cassettePathOf({ reportDir }: Pick<RunConfiguration, 'reportDir'>): string {
  return join(reportDir, 'cassette');
}

/** A defect of the runner itself. The traffic that was recorded before it is on disk. */
class RunnerError extends Error {
  override readonly name = 'RunnerError';
}

/**
 * Drives the scenarios that the configuration selects against its target, and records the cassette
 * (`<reportDir>/cassette`) and the ledger (`<reportDir>/ledger.jsonl`). Judges nothing.
 * Throws ConfigurationError where the target refuses a model of the configuration, and RunnerFailed where the runner itself breaks.
 */
export async function runScenarios(
  configuration: RunConfiguration,
  options: DriveOptions = {},
): Promise<DriveResult> {
  const { suites = suitesFolder, resume = false } = options;
  const plan: RunPlan = {
    configuration,
    cassette: cassettePathOf(configuration),
    ledger: join(configuration.reportDir, 'ledger.jsonl'),
    suites,
    tag: `assay-${randomBytes(5).toString('hex')}`,
    resume,
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => {}),
    receiver: resume ? null : (options.receiver ?? null),
  };
  // Defects are collected and not thrown: cleanup and the cassette come first.
  const errors: unknown[] = [];
  // A promise that a scenario forgot to wait for must not end the process before its objects are removed.
  const stray = (reason: unknown): void => void errors.push(reason);
  process.on('unhandledRejection', stray);
  try {
    const run = await ScenarioRun.begin(plan);
    errors.push(...(await run.performAll()));
    const summary = await run.finish();
    const ofRunner = errors.map((error) => ({ scenario: 'runner', message: messageOf(error) }));
    const { cassette, ledger } = plan;
    return { ...summary, crashed: [...summary.crashed, ...ofRunner], cassette, ledger };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    keepRecorded(plan.cassette);
    throw new RunnerError(brokenOff([error, ...errors]), { cause: error });
  } finally {
    process.off('unhandledRejection', stray);
  }
}

/** Why a run broke off: the disk, if anything says so, else a defect of ours. */
function brokenOff(errors: readonly unknown[]): string {
  const disk = errors.find(isOfDisk);
  if (disk !== undefined) return `The run broke off: ${messageOf(disk)}`;
  const words = [...new Set(errors.map(messageOf))].join('\n');
  return `The run broke off, which is a defect of assay itself: ${words}`;
}

/** Errors of file operations carry the system call that failed; no other error of a run does. */
function isOfDisk(error: unknown): boolean {
  return error instanceof CassetteError || (error instanceof Error && 'code' in error && 'syscall' in error);
}

/** The next program that opens the cassette finishes it, where that cannot be done now. */
function keepRecorded(cassette: string): void {
  try {
    finishCassette(cassette);
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
  }
}

/** Which scenarios a run would perform; `auto` claims count as all, since the target is not asked. */
export async function planRun(
  configuration: RunConfiguration,
  suites: string = suitesFolder,
): Promise<ScenarioSelection> {
  const claimed: readonly string[] =
    typeof configuration.claim === 'string' ? families() : configuration.claim;
  return selectScenarios(await discoverScenarios(suites), configuration, claimed);
}

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

/** Scenarios that run one after the other. */
export interface ScenarioLane {
  /** For messages and tests; it has no effect on the order. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

/**
 * True where what others make shows in what a scenario lists. Such a scenario would see other objects in each
 * run, and its exchanges would differ, so it does not run beside creators.
 */
export function listsSharedObjects({ lists, operations }: Scenario): boolean {
  return lists ?? operations.some(isListOfAll);
}

function isListOfAll(id: string): boolean {
  return operation(id).list?.scope === 'organisation';
}

/** Families that list what no other family's lists hold, and whose lists need nothing else made. All others need files. */
const APART: Readonly<Record<string, string>> = {
  'assistants-v1': 'assistants',
  'assistants-v2': 'assistants',
  'vector-stores': 'vector stores',
};

/**
 * Groups of lanes for scenarios that list others' objects, one group after the other. First, alone, those that do more
 * than list: they may make anything. Then those that only list, beside each other where they never see each other's objects.
 */
export function lanesOf(scenarios: readonly Scenario[]): readonly (readonly ScenarioLane[])[] {
  const isOnlyListing = ({ operations }: Scenario) => operations.every(isListOfAll);
  const alone = scenarios.filter((scenario) => !isOnlyListing(scenario));
  const listing = scenarios.filter(isOnlyListing);
  const nameOf = ({ family }: Scenario) => APART[family] ?? 'files';
  const lanes = [...new Set(listing.map(nameOf))].map((name): ScenarioLane => {
    return { name, scenarios: listing.filter((scenario) => nameOf(scenario) === name) };
  });
  const groups: readonly (readonly ScenarioLane[])[] = [
    [{ name: 'what does more than list', scenarios: alone }],
    lanes,
  ];
  return groups
    .map((group) => group.filter(({ scenarios: those }) => those.length > 0))
    .filter((group) => group.length > 0);
}

/** A unit of work that the scheduler starts when there is room for it. */
export type ScheduledTask = () => Promise<void>;

/**
 * Runs groups of tasks one group after the other; the tasks of a group run beside each other, at most `limit` at a time,
 * started in their order. A task that fails stops nothing: its error is returned when all tasks are over.
 */
export async function runGroups(
  groups: readonly (readonly ScheduledTask[])[],
  limit: number,
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const group of groups) {
    const waiting = group.values();
    const worker = async (): Promise<void> => {
      for (const task of waiting) await task().catch((error: unknown) => void errors.push(error));
    };
    await Promise.all(Array.from({ length: Math.min(limit, group.length) }, worker));
  }
  return errors;
}

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
