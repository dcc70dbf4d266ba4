import { join } from 'node:path';
import { CassetteError } from '../exchange/cassette/cassette-error.ts';
import { type CassetteWriter, createCassette } from '../exchange/cassette/cassette-writer.ts';
import { finishCassette } from '../exchange/cassette/finish.ts';
import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import type { TraceReceiver } from '../exchange/cassette/trace-receiver.ts';
import { claimedNames } from '../exchange/claims.ts';
import type { AwaitedState, Hint, Stop, StopReason } from '../exchange/note.ts';
import { secretsInHeaders } from '../exchange/redaction/added-headers.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { TOOL } from '../exchange/tool.ts';
import { extensionsInHeader, type TraceHeader } from '../exchange/trace.ts';
import { messageOf } from '../schemas/error-message.ts';
import { families } from '../schemas/index.ts';
import type { LeftoverResource } from './cleanup/delete-resources.ts';
import { JobWaits } from './cleanup/job-waits.ts';
import { ResourceLedger } from './cleanup/resource-ledger.ts';
import { createRunTag } from './cleanup/run-tag.ts';
import { parseBaseUrl } from './configuration/base-url.ts';
import { ConfigurationError, type RunConfiguration } from './configuration/configuration.ts';
import { type Claims, resolveClaims } from './preflight/claims.ts';
import { configureModels } from './preflight/models.ts';
import { type NarrowedClaims, narrowClaims } from './preflight/narrow-claims.ts';
import { findRefusalOfAll, findUnoffered, offersNothing } from './preflight/offers.ts';
import { PreflightClient } from './preflight/preflight-client.ts';
import {
  discoverScenarios,
  type ScenarioSelection,
  selectScenarios,
  suitesFolder,
} from './preflight/scenario-selection.ts';
import { type PreviousRun, readPreviousRun } from './resume-state.ts';
import { runGroups } from './run-groups.ts';
import { type RunCost, RunSession } from './run-session.ts';
import type { Scenario } from './scenario/scenario.ts';
import { type CurrentWait, WaitReports } from './scenario/wait-reports.ts';
import { groupIntoSequences, listsSharedObjects } from './scenario-order.ts';
import { runScenario, type ScenarioEnding } from './scenario-runner.ts';
import { WRONG_KEY } from './target/encode-request.ts';
import { storeResponse } from './target/record-transfer.ts';

export type { LeftoverResource } from './cleanup/delete-resources.ts';

export type DriveEvent =
  | (NarrowedClaims & { readonly kind: 'claimed'; readonly models: readonly string[] | null })
  | { readonly kind: 'looking'; readonly answers: number }
  | { readonly kind: 'selected'; readonly run: number; readonly skipped: number }
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'started'; readonly scenario: string; readonly spent: RunCost }
  | {
      readonly kind: 'ended';
      readonly scenario: string;
      readonly ending: ScenarioEnding;
      readonly done: number;
      readonly spent: RunCost;
    }
  /** The target is not ready: the reason, and the longest wait in seconds. */
  | { readonly kind: 'awaits-target'; readonly why: string; readonly most: number }
  /** The target asks the run to wait, which delays all requests: its response, and the longest wait in seconds. */
  | { readonly kind: 'rate-limited'; readonly why: string; readonly most: number }
  | { readonly kind: 'waits'; readonly wait: CurrentWait }
  | { readonly kind: 'recorded' };

export interface DriveResult {
  /** The folder; a run without exchanges leaves an earlier cassette in it. */
  readonly cassette: string;
  /** File that lists what the run created; `assay cleanup` reads it. */
  readonly ledger: string;
  /** `completed`, or the class of the cause that ended the run early. */
  readonly stopReason: StopReason;
  /** Why the run ended early; null if all scenarios ended by themselves. */
  readonly stop: Stop | null;
  /** `run`: selected ones, even if the run ended before their start; `blocked`: those that a response held up. */
  readonly scenarios: { readonly run: number; readonly skipped: number; readonly blocked: number };
  /** Scenarios that threw an error, which is a bug, with its message; `runner` for an error that none of them threw. */
  readonly crashed: readonly { readonly scenario: string; readonly message: string }[];
  readonly leftovers: readonly LeftoverResource[];
  /** Scenarios whose objects stay on the target for a later run; `wait` is null if the end of the run came first. */
  readonly waiting: readonly { readonly scenario: string; readonly wait: AwaitedState | null }[];
  readonly spent: RunCost;
  /**
   * Whether the recorded items equal those of a new cassette. False if it replaces a secret that became known after it
   * may have been recorded, if items were left out because of one, or if an exchange has no end.
   */
  readonly isCassetteAsRecorded: boolean;
  /** Exchanges and notes that were left out of the cassette because of a known secret; null for none. */
  readonly quarantined: Quarantined | null;
}

export interface DriveOptions {
  /** Called synchronously for each event; must not throw. */
  readonly onProgress?: (event: DriveEvent) => void;
  /** Aborting it ends the run after discovery: calls are aborted, created objects removed, the cassette finished. */
  readonly signal?: AbortSignal;
  /** Folder whose `*.suite.ts|js` are run; default: the built-in suites. */
  readonly suites?: string;
  /** Resumes what an earlier run left waiting in this report folder; needs the configuration of that run. */
  readonly resume?: boolean;
  /** Receives the traffic while it is recorded; receives nothing of a resumed run. */
  readonly receiver?: TraceReceiver;
}

interface RunPlan extends Required<Pick<DriveOptions, 'onProgress' | 'signal' | 'suites' | 'resume'>> {
  readonly configuration: RunConfiguration;
  readonly cassette: string;
  readonly ledger: string;
  readonly tag: string;
  readonly receiver: TraceReceiver | null;
}

export function cassettePathOf({ reportDir }: Pick<RunConfiguration, 'reportDir'>): string {
  return join(reportDir, 'cassette');
}

class RunnerError extends Error {
  override readonly name = 'RunnerError';
}

/**
 * Records the cassette in `<reportDir>/cassette` and the ledger in `<reportDir>/ledger.jsonl`. Rejects with
 * ConfigurationError if the target refuses a configured model or the ledger of a resumed run cannot be read, and with
 * RunnerError if the run itself breaks off.
 */
export async function runScenarios(
  configuration: RunConfiguration,
  options: DriveOptions = {},
): Promise<DriveResult> {
  const { suites = suitesFolder, resume = false, onProgress = () => {}, receiver = null } = options;
  const { signal = new AbortController().signal } = options;
  const cassette = cassettePathOf(configuration);
  const ledger = join(configuration.reportDir, 'ledger.jsonl');
  const parts = { configuration, cassette, ledger, suites, tag: createRunTag() };
  const plan: RunPlan = { ...parts, resume, signal, onProgress, receiver: resume ? null : receiver };
  // Defects are collected rather than thrown, because cleanup and the cassette come first.
  const errors: unknown[] = [];
  // A promise that a scenario forgot to await must not end the process before its objects are removed.
  const collectError = (reason: unknown): void => void errors.push(reason);
  process.on('unhandledRejection', collectError);
  try {
    const run = await openRun(plan);
    const result = await finishRun(run, await runAllScenarios(run, errors));
    const defects = errors.map((error) => ({ scenario: 'runner', message: messageOf(error) }));
    return { ...result, crashed: [...result.crashed, ...defects] };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    try {
      finishCassette(cassette);
    } catch (finishError) {
      // Traffic recorded before the failure is already on disk, where `assay recover` can finish the cassette.
      if (!(finishError instanceof CassetteError)) throw finishError;
    }
    throw new RunnerError(failureMessage([error, ...errors]), { cause: error });
  } finally {
    process.off('unhandledRejection', collectError);
  }
}

function failureMessage(errors: readonly unknown[]): string {
  // Errors of file operations carry the system call that failed; no other error of a run does.
  const disk = errors.find(
    (error) =>
      error instanceof CassetteError || (error instanceof Error && 'code' in error && 'syscall' in error),
  );
  if (disk !== undefined) return `The run was aborted: ${messageOf(disk)}`;
  const messages = [...new Set(errors.map(messageOf))].join('\n');
  return `The run was aborted, which is a defect of assay itself: ${messages}`;
}

export async function planRun(configuration: RunConfiguration): Promise<ScenarioSelection> {
  const claimed: readonly string[] =
    typeof configuration.claim === 'string' ? families() : configuration.claim;
  return selectScenarios(await discoverScenarios(suitesFolder), configuration, claimed);
}

interface OpenRun {
  readonly plan: RunPlan;
  readonly session: RunSession;
  readonly recorder: CassetteWriter;
  readonly ledger: ResourceLedger;
  readonly selection: ScenarioSelection;
  readonly previous: PreviousRun | null;
  readonly ignoreInterrupts: () => void;
}

async function openRun(basePlan: RunPlan): Promise<OpenRun> {
  const { signal, onProgress } = basePlan;
  const { waitFor } = basePlan.configuration;
  const scenarios = await discoverScenarios(basePlan.suites);
  const onWait = (why: string, most: number) => onProgress({ kind: 'rate-limited', why, most });
  const preflight = new PreflightClient(basePlan.configuration, {
    onWait,
    onAnswers: (answers) => onProgress({ kind: 'looking', answers }),
  });
  let recorder: CassetteWriter | null = null;
  const listening = new AbortController();
  try {
    const previous = basePlan.resume ? await readPreviousRun(basePlan.cassette, basePlan.ledger) : null;
    const unreachable = await preflight.awaitTarget(waitFor, signal, (why) =>
      onProgress({ kind: 'awaits-target', why, most: waitFor }),
    );
    const discovery = { scenarios, unreachable, isNew: previous === null };
    const { claims, configuration, hints, unusable } = await discoverTarget(basePlan, discovery, preflight);
    const claimed = claimedNames(claims);
    const plan = { ...basePlan, configuration };
    recorder = openRecorder(plan, claims);
    const session = new RunSession(configuration, recorder, preflight, onWait);
    // A check of the trace must not count resumed scenarios as interrupted.
    if (previous !== null)
      session.note({ note: 'resumed', scenarios: previous.waitingScenarios.map(({ scenario }) => scenario) });
    const interrupt = () => session.stop({ reason: 'interrupted' });
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true, signal: listening.signal });
    if (unusable !== null) session.stop(unusable);
    // Without exchanges, a stopped run keeps an earlier cassette; a resumed run has already recorded discovery.
    if (session.stopped === null && previous === null)
      await recordDiscovery(preflight, recorder, configuration);
    for (const hint of hints) {
      session.note({ note: 'hint', hint });
      onProgress({ kind: 'hint', hint });
    }
    const offered = session.stopped === null ? scenarios : [];
    const selection =
      previous === null
        ? selectScenarios(offered, configuration, claimed)
        : { run: offered.filter(({ name }) => previous.resumeStates.has(name)), skipped: [] };
    for (const skip of selection.skipped) session.note({ note: 'scenario-skipped', ...skip });
    const { betaHeader, target, dialect } = configuration;
    const ledger =
      previous === null
        ? ResourceLedger.create(plan.ledger, {
            ledger: 1,
            baseUrl: target.baseUrl,
            betaHeader,
            tag: plan.tag,
            ...(dialect !== null && { paths: dialect.paths }),
          })
        : ResourceLedger.reopen(plan.ledger);
    onProgress({ kind: 'selected', run: selection.run.length, skipped: selection.skipped.length });
    const ignoreInterrupts = () => listening.abort();
    return { plan, session, recorder, ledger, selection, previous, ignoreInterrupts };
  } catch (error) {
    listening.abort();
    recorder?.close();
    await preflight.close();
    throw error;
  }
}

interface Progress {
  readonly crashed: DriveResult['crashed'][number][];
  readonly leftovers: LeftoverResource[];
  readonly waiting: DriveResult['waiting'][number][];
  blocked: number;
  done: number;
}

async function runAllScenarios(run: OpenRun, errors: unknown[]): Promise<Progress> {
  const { plan, session, ledger, selection, previous } = run;
  const { configuration, onProgress } = plan;
  const progress: Progress = { crashed: [], leftovers: [], waiting: [], blocked: 0, done: 0 };
  const waitReports = new WaitReports((wait) => onProgress({ kind: 'waits', wait }));
  const jobWaits = new JobWaits();
  const runOne = async (scenario: Scenario): Promise<void> => {
    const { name } = scenario;
    // A resumed scenario keeps the tag of the earlier run, because its objects are named after it.
    const tag =
      previous?.waitingScenarios.find((waiting) => waiting.scenario === name)?.tag ??
      `${plan.tag}-${selection.run.indexOf(scenario) + 1}`;
    const resumeState = previous?.resumeStates.get(name) ?? null;
    onProgress({ kind: 'started', scenario: name, spent: session.spent });
    const runtime = { tag, session, ledger, resumeState, jobWaits, waitReports };
    const { ending, leftovers } = await runScenario(scenario, runtime);
    if (ending.outcome === 'crashed') progress.crashed.push({ scenario: name, message: ending.message });
    if (ending.outcome === 'waiting') progress.waiting.push({ scenario: name, wait: ending.wait });
    if (ending.outcome === 'blocked') progress.blocked += 1;
    progress.leftovers.push(...leftovers);
    progress.done += 1;
    waitReports.reset();
    onProgress({ kind: 'ended', scenario: name, ending, done: progress.done, spent: session.spent });
  };
  // Scenarios that list shared objects run after all others, so that every run against the reference is the same.
  const listingScenarios = configuration.target.embedded ? selection.run.filter(listsSharedObjects) : [];
  const concurrent = selection.run
    .filter((scenario) => !listingScenarios.includes(scenario))
    .map((scenario) => [scenario]);
  const taskFor = (scenarios: readonly Scenario[]) => async () => {
    for (const scenario of scenarios) await runOne(scenario);
  };
  const groups = [concurrent, ...groupIntoSequences(listingScenarios)].map((sequences) =>
    sequences.map(taskFor),
  );
  errors.push(...(await runGroups(groups, configuration.concurrency)));
  return progress;
}

async function finishRun(
  { plan, session, recorder, ledger, selection, ignoreInterrupts }: OpenRun,
  { blocked, done, ...progress }: Progress,
): Promise<DriveResult> {
  // An interrupt from now on, as while reports are written, changes neither the trace nor the result.
  ignoreInterrupts();
  const { stopped: stop, randomErrors: hint } = session;
  if (hint !== null) session.note({ note: 'hint', hint });
  // The journal must contain the end of every exchange before it becomes the cassette.
  await session.close();
  await recorder.waitUntilWritten();
  const { haveAllEnded } = recorder;
  plan.receiver?.end();
  plan.onProgress({ kind: 'recorded' });
  const quarantined = recorder.finish();
  ledger.close();
  return {
    ...progress,
    cassette: plan.cassette,
    ledger: plan.ledger,
    stopReason: stop?.reason ?? 'completed',
    stop,
    scenarios: { run: done, skipped: selection.skipped.length, blocked },
    spent: session.spent,
    isCassetteAsRecorded: haveAllEnded && !recorder.hasLearnedLate && quarantined === null,
    quarantined,
  };
}

type UnusableTarget = Extract<Stop, { readonly reason: 'target-unreachable' }>;

interface DiscoveredTarget {
  readonly claims: Claims;
  readonly configuration: RunConfiguration;
  readonly hints: readonly Hint[];
  /** Why nothing more is sent to the target; null if it can be judged. */
  readonly unusable: UnusableTarget | null;
}

interface Discovery {
  readonly scenarios: readonly Scenario[];
  /** Why the target cannot be reached, or null. */
  readonly unreachable: string | null;
  /** False for a resumed run, which keeps the models that it began with. */
  readonly isNew: boolean;
}

async function discoverTarget(
  plan: RunPlan,
  { scenarios, unreachable, isNew }: Discovery,
  preflight: PreflightClient,
): Promise<DiscoveredTarget> {
  const { configuration, onProgress } = plan;
  const found = await findClaims(plan, unreachable === null ? scenarios : null, preflight);
  const { claims } = found;
  const unusable = await findUnusable(configuration, { claims, unreachable, isNew }, preflight);
  // A target that refuses the key is not judged, so what it seemed to offer would mislead.
  if ('unaffordable' in found && unusable?.refused === undefined)
    onProgress({ kind: 'claimed', ...found, models: preflight.models });
  // The models of an unusable target cannot be tried: its responses would blame the model.
  if (unusable !== null || !isNew) return { claims, configuration, hints: [], unusable };
  const claimed = claimedNames(claims);
  const models = await configureModels(configuration, scenarios, claimed, preflight);
  const { version } = claims;
  const configured = { ...models.configuration, ...(version !== undefined && { version }) };
  const unoffered = claims.how === 'given' ? await unofferedHints(claimed, preflight, configured) : [];
  return { claims, configuration: configured, hints: [...models.hints, ...unoffered], unusable };
}

async function findClaims(
  { configuration }: RunPlan,
  scenarios: readonly Scenario[] | null,
  preflight: PreflightClient,
): Promise<NarrowedClaims | { readonly claims: Claims }> {
  const { claim } = configuration;
  const claims = await resolveClaims(scenarios === null && claim === 'auto' ? 'all' : claim, preflight);
  if (claims.how !== 'auto' || scenarios === null) return { claims };
  return narrowClaims(claims, { configuration, scenarios, preflight });
}

async function unofferedHints(
  claimed: readonly string[],
  preflight: PreflightClient,
  { target }: RunConfiguration,
): Promise<readonly Hint[]> {
  const names = target.embedded ? [] : await findUnoffered(claimed, preflight);
  if (names.length === 0) return [];
  const { families: offered } = await resolveClaims('auto', preflight);
  if (offered.length === 0) return [];
  const { response } = await preflight.fetchUnknownPath('GET');
  return [{ kind: 'claim-not-offered', names, status: response?.status ?? null, offered }];
}

/**
 * Why the target cannot be judged: it is unreachable, has nothing at the base URL, or refuses the key for everything.
 * Null if it can; the embedded reference and the target of a resumed run are only checked for being reachable.
 */
async function findUnusable(
  configuration: RunConfiguration,
  { claims, unreachable, isNew }: Omit<Discovery, 'scenarios'> & { readonly claims: Claims },
  preflight: PreflightClient,
): Promise<UnusableTarget | null> {
  const { target, apiKey, keyVariable, waitFor } = configuration;
  const { embedded, baseUrl } = target;
  const unusable = { reason: 'target-unreachable', baseUrl, strange: null, detail: null } as const;
  if (unreachable !== null)
    return { ...unusable, detail: unreachable, ...(waitFor > 0 && { waited: waitFor }) };
  if (embedded || !isNew) return null;
  const claimed = claimedNames(claims);
  if (preflight.status === 404 && (await offersNothing(claimed, preflight, claims.how === 'default'))) {
    const { origin, prefix } = parseBaseUrl(baseUrl);
    return { ...unusable, strange: { origin, prefix } };
  }
  const status = await findRefusalOfAll(claimed, configuration, preflight);
  if (status === null) return null;
  return { ...unusable, refused: { status, keyVariable, key: apiKey === null ? 'none' : 'sent' } };
}

/** Records the exchanges of discovery, but not those with the embedded reference, whose offer is known. */
async function recordDiscovery(
  preflight: PreflightClient,
  recorder: CassetteWriter,
  { target }: RunConfiguration,
): Promise<void> {
  const exchanges = preflight.takeExchanges();
  if (target.embedded) return;
  for (const { head, body, incoming } of exchanges) {
    const recording = recorder.begin(head);
    if (body !== null) recording.requestBody(body);
    await storeResponse(recording, incoming);
  }
}

function openRecorder(
  { configuration, cassette, resume, receiver }: RunPlan,
  claims: Claims,
): CassetteWriter {
  const { apiKey, secondKey, headers, betaHeader } = configuration;
  // A secret learned later costs a second pass over the recorded traffic, so all secrets known now are passed here.
  const keys = [apiKey, secondKey?.key ?? null].filter((key) => key !== null);
  const secrets = [WRONG_KEY, ...keys, ...secretsInHeaders(headers, betaHeader)];
  const header = createTraceHeader(configuration, claims);
  const writer = createCassette(cassette, header, {
    redactor: new Redactor({ secrets, environment: process.env }),
    mode: resume ? 'append' : 'replace',
    ...(receiver !== null && {
      onLines: (lines) => receiver.exchange(lines),
      onNote: (note) => receiver.note(note),
    }),
  });
  // Called only once the cassette is open: if it cannot be created, the judge must not wait for a trace.
  receiver?.begin(header);
  return writer;
}

function createTraceHeader(configuration: RunConfiguration, claims: Claims): TraceHeader {
  const { target, dialect, only, skip, allow, models, betaHeader, shard } = configuration;
  return {
    format: 1,
    tool: TOOL,
    target: { baseUrl: target.baseUrl, name: target.name },
    claims,
    filters: { only, skip },
    allow,
    dialect: dialect === null ? null : { name: dialect.name, digest: dialect.digest },
    ...extensionsInHeader(),
    betaHeader,
    models,
    key: configuration.apiKey !== null,
    shard,
  };
}
