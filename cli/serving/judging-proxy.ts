import type { Settings } from '../../drive/configuration/configuration.ts';
import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import type { MetricsAddress, WatchObserver } from '../../pipeline/metrics/watch-observer.ts';
import type { BaselineOutput } from '../../pipeline/report/known-failures.ts';
import type { WatchOptions } from '../../pipeline/watch.ts';
import { diskWarning } from '../../proxy/record/recorder-words.ts';
import { readKey } from '../options/credentials.ts';
import { colourMode, columnsOf } from '../output/terminal.ts';
import { serveUntilStopped } from './serving.ts';
import { isWatchWhole, watchNotices } from './watch-notices.ts';

const MIB = 1024 * 1024;

export interface TrafficFlags extends BaselineOutput {
  readonly side: JudgedSide;
  readonly clientCommand?: string | null;
  readonly baseUrl: string;
  /** Set if the service is the embedded reference, even behind a proxy that disturbs it. */
  readonly embedded?: true;
  readonly port: number;
  readonly apiKeyEnv?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  /** In seconds; none or 0 for no timeout. */
  readonly timeout?: number;
  readonly keepFields?: true;
  /** In MiB. */
  readonly maxDisk: number;
  /** In MiB. */
  readonly maxMemory: number;
  readonly metrics?: MetricsAddress;
  readonly log?: 'text' | 'json';
  readonly disturbed?: true;
  readonly reactions?: (() => readonly DisturbedAnswer[]) | undefined;
}

/**
 * Forwards traffic, judges it and writes the report. Resolves to the first of these that is not 0: the exit code of the
 * command, that of the gate, and 1 unless `isWatchWhole`.
 */
export async function judgeTraffic(
  settings: Settings,
  flags: TrafficFlags,
  command: readonly string[],
): Promise<number> {
  const { metrics } = flags;
  if (metrics === undefined) return runProxy(settings, flags, { command, observer: null });
  const { startObserver } = await import('../../pipeline/metrics/watch-observer.ts');
  const observer = await startObserver(metrics);
  return runProxy(settings, flags, { command, observer }).finally(() => observer.close());
}

async function runProxy(
  settings: Settings,
  flags: TrafficFlags,
  { command, observer }: { readonly command: readonly string[]; readonly observer: WatchObserver | null },
): Promise<number> {
  const { openWatch } = await import('../../pipeline/watch.ts');
  const stream = command.length === 0 ? process.stdout : process.stderr;
  const { createJsonLog, createStreamDisplay } = await import('../output/traffic-display.ts');
  const display = flags.log === 'json' ? createJsonLog(stream) : createStreamDisplay(stream);
  const watch = await openWatch(settings, {
    ...toWatchOptions(flags),
    violationStyle: chooseViolationStyle(stream, settings, flags.side),
    observer: observer ?? undefined,
    onViolation: (text) => display.showViolation(text),
    ...(display.showFinding !== undefined && { onFinding: (finding) => display.showFinding?.(finding) }),
    onProgress: (progress) => display.showProgress(progress),
    onDiskFailure: ({ message }) => display.warn(diskWarning(message, 'refuse')),
  });
  const announce = (url: string) => display.announce(url, observer?.url ?? null);
  const code = await serveUntilStopped(watch, command, announce).catch(async (error: unknown) => {
    await watch.abandon();
    display.clear();
    throw error;
  });
  let isComplete = true;
  const report = await watch.close((result) => {
    display.clear();
    isComplete = isWatchWhole(result);
    display.showNotices(watchNotices(result, code));
  }, display.report);
  // Printed below the report, because its verdict covers only the requests and not the exit code of the command.
  if (code !== 0)
    display.warn(
      `The command failed with exit code ${code}, and so does assay: the verdict covers only what was sent before.`,
    );
  return code || report.summary.exitCode || (isComplete ? 0 : 1);
}

function chooseViolationStyle(
  stream: NodeJS.WriteStream,
  { color, report }: Settings,
  side: JudgedSide,
): WatchOptions['violationStyle'] {
  return {
    width: columnsOf(stream) ?? undefined,
    colours: colourMode(stream, color),
    // The report of a client is printed at the end and explains the violations, so a line for each is enough here.
    length: side === 'client' && report.includes('terminal') ? 'line' : 'full',
  };
}

function toWatchOptions(flags: TrafficFlags) {
  const { apiKeyEnv, timeout = 0, keepFields } = flags;
  return {
    ...flags,
    timeout,
    redaction: keepFields === true ? { keepFields } : {},
    key: apiKeyEnv === undefined ? null : readKey(apiKeyEnv),
    allowHosts: flags.allowHost ?? [],
    allowOrigins: flags.allowOrigin ?? [],
    limits: { disk: flags.maxDisk * MIB, memory: flags.maxMemory * MIB },
  };
}
