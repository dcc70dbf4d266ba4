import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { CassetteError } from '../exchange/cassette/error.ts';
import { finishCassette } from '../exchange/cassette/finish.ts';
import type { RunConfiguration } from './configuration.ts';
import { discover, suitesFolder } from './discover.ts';
import { type Selection, select } from './select.ts';
import { families } from './settings.ts';
import { type Breakdown, runVitest } from './vitest.ts';
import type { Errand, FromWorker, Progress, Summary, ToWorker } from './wire.ts';

export type { Leftover } from './cleanup.ts';
export type { Progress, Summary } from './wire.ts';

export interface RunOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** The worker is up. While it gathers the suites this thread has time. */
  readonly onListening?: () => void;
  /** Aborting it ends the run cleanly: what is on its way is hung up, what was made is removed, the journal is closed. */
  readonly signal?: AbortSignal;
  /** Folder whose `*.suite.ts|js` are run; our own unless given. */
  readonly suites?: string;
  /** Go on with what an earlier run in this report folder left waiting; the configuration is that of the earlier run. */
  readonly resume?: boolean;
}

/** Where a run left its traces. */
export interface RunResult extends Summary {
  /** Directory of the cassette, with a closed journal. */
  readonly cassette: string;
  readonly ledger: string;
}

/** Where a run leaves its cassette. */
export function cassetteOf({ reportDir }: Pick<RunConfiguration, 'reportDir'>): string {
  return join(reportDir, 'cassette');
}

/** The runner itself broke; the message says how. Whatever was recorded is on disk. */
export class RunnerFailed extends Error {
  override readonly name = 'RunnerFailed';
}

/**
 * Drives the scenarios that the configuration selects against its target, and writes the journal of the cassette
 * (`<reportDir>/cassette`) and the ledger (`<reportDir>/ledger.jsonl`). Judges nothing.
 * Throws RunnerFailed where the runner itself breaks.
 */
export async function runScenarios(
  configuration: RunConfiguration,
  options: RunOptions = {},
): Promise<RunResult> {
  const id = randomBytes(5).toString('hex');
  const errand: Errand = {
    configuration,
    channel: `assay-${id}`,
    cassette: cassetteOf(configuration),
    ledger: join(configuration.reportDir, 'ledger.jsonl'),
    suites: options.suites ?? suitesFolder,
    tag: `assay-${id}`,
    resume: options.resume ?? false,
  };
  const line = new WorkerLine(errand.channel, options);
  const stop = (): void => line.stop({ reason: 'interrupted' });
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  try {
    const errors = await runVitest(errand);
    if (line.summary === null) {
      keepRecorded(errand.cassette);
      throw new RunnerFailed(brokenDown(errors));
    }
    const ofRunner = errors.map(({ message }) => ({ scenario: 'runner', message }));
    const crashed = [...line.summary.crashed, ...ofRunner];
    return { ...line.summary, crashed, cassette: errand.cassette, ledger: errand.ledger };
  } finally {
    options.signal?.removeEventListener('abort', stop);
    line.close();
  }
}

function brokenDown(errors: readonly Breakdown[]): string {
  const disk = errors.find(({ whose }) => whose === 'disk');
  if (disk !== undefined) return `The run broke off: ${disk.message}`;
  const words = [...new Set(errors.map(({ message }) => message))].join('\n');
  return `The run broke off, which is a defect of assay itself: ${words === '' ? 'nobody says why' : words}`;
}

/** Whoever opens the cassette later finishes it, where that cannot be done now. */
function keepRecorded(cassette: string): void {
  try {
    finishCassette(cassette);
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
  }
}

/** Which scenarios a run would perform; `auto` claims count as all, since nobody is asked. */
export async function plan(
  configuration: RunConfiguration,
  suites: string = suitesFolder,
): Promise<Selection> {
  const claimed = typeof configuration.claim === 'string' ? families() : configuration.claim;
  return select(await discover(suites), configuration, claimed);
}

/** The main thread's end of the line. */
class WorkerLine {
  summary: Summary | null = null;
  readonly #channel: BroadcastChannel;
  #pending: ToWorker | null = null;

  constructor(name: string, { onProgress, onListening }: RunOptions) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (event) => {
      const message = (event as { data: FromWorker }).data; // as: the only other end is work.ts
      if (message.kind === 'finished') this.summary = message.summary;
      else if (message.kind !== 'listening') onProgress?.(message);
      else {
        if (this.#pending !== null) this.#channel.postMessage(this.#pending);
        onListening?.();
      }
    };
  }

  stop(stop: ToWorker['stop']): void {
    this.#pending = { stop };
    this.#channel.postMessage(this.#pending);
  }

  close(): void {
    this.#channel.close();
  }
}
