import { performance } from 'node:perf_hooks';
import type { RunConfiguration } from '../drive/configuration/configuration.ts';
import type { WaitingScenario } from '../drive/resume-state.ts';
import { cassettePathOf, type DriveEvent, type DriveResult, runScenarios } from '../drive/run.ts';
import type { TraceItem } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import type { Report } from '../reports/report.ts';
import type { WrittenFile } from '../reports/terminal/summary/written-file.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import type { JudgeThread } from './judging/judge-thread.ts';
import type { JudgedTrace } from './judging/traffic-judge.ts';
import type { KnownFailures } from './report/known-failures.ts';
import { type ReportWithEvidence, reportOfJudgedTrace } from './report/make-report.ts';
import { withReportJson, writeReports } from './report/write-reports.ts';
import type { EarlierLedger } from './resume/earlier-ledger.ts';
import { openRecordedTraffic, type RecordedTraffic } from './traffic/recorded-traffic.ts';

/** An event of a run while it is driven and judged, in this order. */
export type RunEvent =
  | { readonly kind: 'earlier-ledger'; readonly earlier: EarlierLedger }
  /** A run is resumed; `waits` is empty where no scenario is waiting, so that the run is only judged again. */
  | {
      readonly kind: 'resumed';
      readonly reportDir: string;
      readonly waitingScenarios: readonly WaitingScenario[];
    }
  | DriveEvent
  /** The target was not reached: the report of an earlier run stays in its folder. */
  | { readonly kind: 'earlier-report-kept'; readonly reportDir: string }
  /** Reports of an earlier run in formats that this one did not write are in the folder `earlier` of the report folder. */
  | {
      readonly kind: 'earlier-reports-moved';
      readonly names: readonly string[];
      readonly reportDir: string;
    }
  | { readonly kind: 'driven'; readonly result: DriveResult; readonly configuration: RunConfiguration }
  /** With `--trace`: each item of the trace, without secrets. */
  | { readonly kind: 'item'; readonly item: TraceItem };

/** Receives a report with its evidence while the traffic is open, and the files that were written. */
export type ReportListener = (
  report: ReportWithEvidence,
  written: readonly WrittenFile[],
  configuration: Pick<RunConfiguration, 'report' | 'color' | 'standingBaseline'>,
) => void;

/** How a run is judged, interrupted and observed. */
export interface LiveRunOptions {
  readonly known: KnownFailures;
  readonly dialect: Dialect | null;
  /** Judges the traffic while it is recorded; null where the finished cassette is judged, as of a run that is resumed. */
  readonly thread: JudgeThread | null;
  /** Whether an earlier run left its report, which a run that reached no target must not replace. */
  readonly hasEarlierReport?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly onReport?: ReportListener | undefined;
}

/** How a run ended: its report, and what the driver knows beside it. */
export interface RunOutcome {
  readonly report: Report;
  /** Paths of the report files, and of a baseline. */
  readonly written: readonly WrittenFile[];
  /** Null where nothing was driven. */
  readonly result: DriveResult | null;
}

/** Drives the scenarios against the target, judges the traffic, and writes the reports. Without `thread`, it resumes. */
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
  // The judgement of the thread counts only where it saw exactly what the cassette contains.
  const seen = thread !== null && result.asRecorded ? await judgedBy(thread) : null;
  const recorded = await openRecordedTraffic([result.cassette]);
  try {
    if (configuration.trace) await replayItems(recorded, onEvent);
    const judged = seen ?? (await judgeRecorded(recorded, { dialect }));
    const writesNone = hasEarlierReport && result.stopReason === 'target-unreachable';
    const report = (writesNone ? printed : withReportJson)(configuration.report);
    const about = { configuration: { ...configuration, report }, known, began };
    return { ...(await publish(judged, recorded, about, onReport)), result };
  } finally {
    recorded.close();
  }
}

/** The formats that are printed, not written. */
function printed(formats: RunConfiguration['report']): RunConfiguration['report'] {
  return formats.filter((format) => ['terminal', 'github', 'problems'].includes(format));
}

/** Judges the cassette of an earlier run again, and writes its reports anew. */
export async function judgeAgain(
  configuration: RunConfiguration,
  { known, dialect, onReport }: Omit<LiveRunOptions, 'thread'>,
): Promise<RunOutcome> {
  const recorded = await openRecordedTraffic([cassettePathOf(configuration)]);
  try {
    const judged = await judgeRecorded(recorded, { dialect });
    const report = withReportJson(configuration.report);
    const about = { configuration: { ...configuration, report }, known, began: null };
    return { ...(await publish(judged, recorded, about, onReport)), result: null };
  } finally {
    recorded.close();
  }
}

/**
 * Null where the judging thread failed or did not receive all exchanges: then the finished cassette is judged, which meets
 * the same error and reports it.
 */
async function judgedBy(thread: JudgeThread): Promise<JudgedTrace | null> {
  try {
    const { judged, lost } = await thread.finished();
    return lost === 0 ? judged : null;
  } catch {
    return null;
  }
}

/**
 * The parts of a run that its report depends on. `began` by `performance.now()`; null for a run that is
 * judged again.
 */
interface About {
  readonly configuration: RunConfiguration;
  readonly known: KnownFailures;
  readonly began: number | null;
}

/** Makes the report, writes its files and informs the listener, in this order, while the cassette is open. */
async function publish(
  judged: JudgedTrace,
  recorded: RecordedTraffic,
  { configuration, known, began }: About,
  onReport: ReportListener | undefined,
): Promise<Omit<RunOutcome, 'result'>> {
  const cassette = { words: shellQuote(cassettePathOf(configuration)), relative: 'cassette' };
  const made = reportOfJudgedTrace(judged, recorded, { configuration, known, began, cassette });
  const written = await writeReports(made, configuration);
  onReport?.(made, written, configuration);
  return { report: made.report, written };
}

/** Every exchange and every note of the run from the cassette, where also secrets that became known late are replaced. */
async function replayItems(recorded: RecordedTraffic, onEvent: (event: RunEvent) => void): Promise<void> {
  for (const trace of recorded.traces()) for await (const item of trace) onEvent({ kind: 'item', item });
}
