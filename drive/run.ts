import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { finishCassette } from '../exchange/cassette/finish.ts';
import { CassetteError } from '../exchange/cassette/folder.ts';
import type { TraceReceiver } from '../exchange/cassette/lines.ts';
import { messageOf } from '../schemas/error-message.ts';
import { families } from '../schemas/index.ts';
import { ConfigurationError, type RunConfiguration } from './configuration/configuration.ts';
import type { DriveEvent, DriveSummary } from './drive-events.ts';
import { discoverScenarios, suitesFolder } from './scenario/discover.ts';
import { type RunPlan, ScenarioRun } from './scenario/scenario-run.ts';
import { type ScenarioSelection, selectScenarios } from './scenario/select.ts';

export type { LeftoverResource } from './cleanup/delete-resources.ts';
export type { DriveEvent, DriveSummary } from './drive-events.ts';

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
