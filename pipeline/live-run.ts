import { performance } from 'node:perf_hooks';
import type { RunConfiguration } from '../drive/configuration/configuration.ts';
import type { WaitingScenario } from '../drive/resume-state.ts';
import { cassettePathOf, type DriveEvent, type DriveResult, runScenarios } from '../drive/run.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import type { TraceItem } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import type { Report } from '../reports/report.ts';
import type { WrittenFile } from '../reports/summary/written-file.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import type { JudgeThread } from './judging/judge-thread.ts';
import type { JudgedTrace } from './judging/traffic-judge.ts';
import { hasShownNothing } from './report/earlier-files.ts';
import type { EarlierLedger } from './report/earlier-ledger.ts';
import type { KnownFailures } from './report/known-failures.ts';
import { isFileFormat, produceReport, type ReportListener, withReportJson } from './report/write-reports.ts';
import { withRecordedTraffic } from './traffic/recorded-traffic.ts';

export type RunEvent =
  | { readonly kind: 'earlier-ledger'; readonly earlier: EarlierLedger }
  /** If no scenario is left to run, the recording is only judged again. */
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
  readonly known: KnownFailures;
  readonly earlierReport: Report | null;
  /** The dialect for judging the finished cassette, since `thread` has its own; null for none. */
  readonly dialect: Dialect | null;
  /** Judges the traffic while it is recorded; null to resume a run, whose finished cassette is judged. */
  readonly thread: JudgeThread | null;
  /** Whether there is an earlier report, which a run that has shown nothing must not replace. */
  readonly hasEarlierReport?: boolean;
  /** Aborting it ends the run cleanly; the exchanges recorded until then are judged. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of the run; `item` events only with `trace` in the configuration. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called once, after the report files have been written. */
  readonly onReport?: ReportListener | undefined;
}

export interface RunOutcome {
  /** The content of `report.json`, even if that file is not written. */
  readonly report: Report;
  /** The report files that were written. */
  readonly written: readonly WrittenFile[];
  /** Facts that only the driver knows about the run; null if only a recording was judged. */
  readonly result: DriveResult | null;
}

export async function runAndReport(
  configuration: RunConfiguration,
  options: LiveRunOptions,
): Promise<RunOutcome> {
  const { thread, hasEarlierReport = false, signal, onEvent = () => {} } = options;
  const began = performance.now();
  const result = await runScenarios(configuration, {
    onProgress: onEvent,
    resume: thread === null,
    ...(signal !== undefined && { signal }),
    ...(thread !== null && { receiver: thread }),
  });
  onEvent({ kind: 'driven', result, configuration });
  // The thread's judgement counts only if it saw exactly what the cassette contains.
  const judged = thread !== null && result.isCassetteAsRecorded ? await finishJudging(thread) : null;
  const keepsEarlierReport = hasEarlierReport && hasShownNothing(result);
  const report = keepsEarlierReport
    ? configuration.report.filter((format) => !isFileFormat(format))
    : withReportJson(configuration.report);
  const onItem = configuration.trace ? (item: TraceItem) => onEvent({ kind: 'item', item }) : null;
  return {
    ...(await reportOnRecording({ ...configuration, report }, { ...options, began }, judged, onItem)),
    result,
  };
}

export async function judgeAgain(
  configuration: RunConfiguration,
  options: Omit<LiveRunOptions, 'thread'>,
): Promise<RunOutcome> {
  const withJson = { ...configuration, report: withReportJson(configuration.report) };
  return { ...(await reportOnRecording(withJson, { ...options, began: null })), result: null };
}

/** The judgement of the thread; null if it failed or missed exchanges. Judging the cassette then shows what failed. */
async function finishJudging(thread: JudgeThread): Promise<JudgedTrace | null> {
  try {
    const { judged, lost } = await thread.finished();
    return lost === 0 ? judged : null;
  } catch {
    return null;
  }
}

/** `live`: the judgement of the live traffic; null to judge the recording, where secrets learned late are replaced. */
async function reportOnRecording(
  configuration: RunConfiguration,
  {
    known,
    earlierReport,
    dialect,
    began,
    onReport,
  }: Omit<LiveRunOptions, 'thread'> & { began: number | null },
  live: JudgedTrace | null = null,
  onItem: ((item: TraceItem) => void) | null = null,
): Promise<Omit<RunOutcome, 'result'>> {
  const path = cassettePathOf(configuration);
  return withRecordedTraffic([path], async (recorded) => {
    if (onItem !== null) for (const trace of recorded.traces()) for await (const item of trace) onItem(item);
    const judged = live ?? (await judgeRecorded(recorded, { dialect }));
    const cassette = { words: shellQuote(path), relative: 'cassette' };
    return produceReport(judged, recorded, {
      configuration,
      cassette,
      known,
      earlierReport,
      began,
      onReport,
    });
  });
}
