import { performance } from 'node:perf_hooks';
import type { RunConfiguration } from '../drive/configuration/configuration.ts';
import type { WaitingScenario } from '../drive/resume-state.ts';
import { cassettePathOf, type DriveEvent, type DriveResult, runScenarios } from '../drive/run.ts';
import type { TraceItem } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import type { Report } from '../reports/report.ts';
import type { WrittenFile } from '../reports/summary/written-file.ts';
import type { JudgeThread } from './judging/judge-thread.ts';
import type { JudgedTrace } from './judging/traffic-judge.ts';
import { judgeRecorded } from './judging/traffic-judge.ts';
import type { EarlierLedger } from './report/earlier-files.ts';
import type { KnownFailures } from './report/known-failures.ts';
import { publishReport, type ReportListener, withReportJson } from './report/write-reports.ts';
import { type RecordedTraffic, withRecordedTraffic } from './traffic/recorded-traffic.ts';

/** An event of a run, in this order. */
export type RunEvent =
  | { readonly kind: 'earlier-ledger'; readonly earlier: EarlierLedger }
  /** Without waiting scenarios the run is only judged again. */
  | {
      readonly kind: 'resumed';
      readonly reportDir: string;
      readonly waitingScenarios: readonly WaitingScenario[];
    }
  | DriveEvent
  | { readonly kind: 'earlier-report-kept'; readonly reportDir: string }
  | {
      readonly kind: 'earlier-reports-moved';
      readonly names: readonly string[];
      readonly reportDir: string;
    }
  | { readonly kind: 'driven'; readonly result: DriveResult; readonly configuration: RunConfiguration }
  | { readonly kind: 'item'; readonly item: TraceItem };

export interface LiveRunOptions {
  /** The baseline to apply or write, and the earlier report to compare with. */
  readonly known: KnownFailures;
  /** The dialect for judging the finished cassette, since `thread` has its own; null for none. */
  readonly dialect: Dialect | null;
  /** Judges the traffic while it is recorded; null to judge the finished cassette, as for a resumed run. */
  readonly thread: JudgeThread | null;
  /** Whether there is an earlier report, which a run that reached no target must not replace. */
  readonly hasEarlierReport?: boolean;
  /** Aborting it ends the run cleanly; the exchanges recorded until then are judged. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of the run; `item` events only with `trace` in the configuration. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called once, after the report files have been written. */
  readonly onReport?: ReportListener | undefined;
}

export interface RunOutcome {
  /** The content of `report.json`. */
  readonly report: Report;
  /** The files of the report. */
  readonly written: readonly WrittenFile[];
  /** The driven target; null if only a recording was judged. */
  readonly result: DriveResult | null;
}

export async function liveRun(
  configuration: RunConfiguration,
  { known, dialect, thread, hasEarlierReport = false, signal, onEvent = () => {}, onReport }: LiveRunOptions,
): Promise<RunOutcome> {
  const began = performance.now();
  const result = await runScenarios(configuration, {
    onProgress: onEvent,
    resume: thread === null,
    ...(signal !== undefined && { signal }),
    ...(thread !== null && { receiver: thread }),
  });
  onEvent({ kind: 'driven', result, configuration });
  // The thread's judgement counts only if it saw exactly what the cassette contains.
  const seen = thread !== null && result.asRecorded ? await judgedBy(thread) : null;
  const writesNone = hasEarlierReport && result.stopReason === 'target-unreachable';
  const report = (writesNone ? printedFormats : withReportJson)(configuration.report);
  const options = { known, dialect, began, onReport };
  const outcome = await withRecordedTraffic([result.cassette], async (recorded) => {
    if (configuration.trace) await replayItems(recorded, onEvent);
    return publish(seen, recorded, { ...configuration, report }, options);
  });
  return { ...outcome, result };
}

function printedFormats(formats: RunConfiguration['report']): RunConfiguration['report'] {
  return formats.filter((format) => ['terminal', 'github', 'problems'].includes(format));
}

export async function judgeAgain(
  configuration: RunConfiguration,
  { known, dialect, onReport }: Omit<LiveRunOptions, 'thread'>,
): Promise<RunOutcome> {
  const withJson = { ...configuration, report: withReportJson(configuration.report) };
  const options = { known, dialect, began: null, onReport };
  const outcome = await withRecordedTraffic([cassettePathOf(configuration)], (recorded) =>
    publish(null, recorded, withJson, options),
  );
  return { ...outcome, result: null };
}

/**
 * Null if the thread failed or missed exchanges: judging the finished cassette then meets the same error and
 * reports it.
 */
async function judgedBy(thread: JudgeThread): Promise<JudgedTrace | null> {
  try {
    const { judged, lost } = await thread.finished();
    return lost === 0 ? judged : null;
  } catch {
    return null;
  }
}

/** `seen`: the judgement of the live traffic; null to judge the recording. */
async function publish(
  seen: JudgedTrace | null,
  recorded: RecordedTraffic,
  configuration: RunConfiguration,
  {
    dialect,
    ...options
  }: Pick<LiveRunOptions, 'known' | 'dialect'> &
    Pick<Parameters<typeof publishReport>[2], 'began' | 'onReport'>,
): Promise<Omit<RunOutcome, 'result'>> {
  const judged = seen ?? (await judgeRecorded(recorded, { dialect }));
  const cassette = { words: shellQuote(cassettePathOf(configuration)), relative: 'cassette' };
  return publishReport(judged, recorded, { configuration, cassette, ...options });
}

/** From the cassette, in which secrets learned late are replaced as well. */
async function replayItems(recorded: RecordedTraffic, onEvent: (event: RunEvent) => void): Promise<void> {
  for (const trace of recorded.traces()) for await (const item of trace) onEvent({ kind: 'item', item });
}
