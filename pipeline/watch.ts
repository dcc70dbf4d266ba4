import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseBaseUrl } from '../drive/configuration/base-url.ts';
import type { Settings } from '../drive/configuration/configuration.ts';
import type { CassetteError } from '../exchange/cassette/cassette-error.ts';
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import { MAX_READ_BYTES } from '../exchange/http/body.ts';
import type { RedactorOptions } from '../exchange/redaction/redactor.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import type { JudgedSide } from '../judge/requirements/requirement.ts';
import { type Recorder, type RecordReport, startRecorder } from '../proxy/record/record.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import type { Report } from '../reports/report.ts';
import { violationBlock, violationLine } from '../reports/terminal/violation.ts';
import { coloursFor } from '../reports/words/colours.ts';
import { claimsOf } from './check.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { JudgedTrace, JudgingProgress } from './judging/traffic-judge.ts';
import { type FoundViolation, unpackExchange } from './judging/violation-messages.ts';
import type { WatchObserver } from './metrics/watch-observer.ts';
import type { ObservedFinding } from './observation/observed-finding.ts';
import { putProxyFilesAside } from './report/earlier-files.ts';
import { type BaselineOutput, readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { makeReportFolder } from './report/report-folder.ts';
import {
  DEFAULT_WIDTH,
  isFileFormat,
  produceReport,
  type ReportListener,
  withReportJson,
} from './report/write-reports.ts';
import { loadDialect, withDialect } from './setup/dialects.ts';
import { refuseUnmatchedGlobs } from './setup/unmatched-globs.ts';
import { withRecordedTraffic } from './traffic/recorded-traffic.ts';

/** Part of the judge's memory that a response may take, because it is held several times, as bytes and as values. */
const MAX_RESPONSE_SHARE = 1 / 8;
/** A response up to this size, in bytes, is judged whatever the memory limit. */
const MIN_JUDGED_BYTES = 4 * 1024 * 1024;

export interface WatchOptions extends BaselineOutput {
  readonly baseUrl: string;
  /** Whether the service is the embedded reference, whose address is no longer valid after the watch. */
  readonly embedded?: true | undefined;
  readonly side: JudgedSide;
  readonly port: number;
  /** Seconds of silence after which the service has timed out; 0 for never. */
  readonly timeout: number;
  readonly redaction?: RedactorOptions;
  /** Replaces the client's key; null to forward the client's key. */
  readonly key: string | null;
  /** Host names under which clients may reach a proxy that adds credentials: see `RecordOptions`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Set if another process disturbs responses and marks them. */
  readonly disturbed?: true | undefined;
  /** Returns how the client reacted to responses that this command disturbed. */
  readonly reactions?: (() => readonly DisturbedAnswer[]) | undefined;
  /** Limits of the recording on disk and of the judge's memory, in bytes. */
  readonly limits: { readonly disk: number; readonly memory: number };
  readonly violationStyle: {
    readonly width: number | undefined;
    readonly colours: 'on' | 'off';
    /** How violations are printed: `line` if a report follows at the end. */
    readonly length: 'full' | 'line';
  };
  readonly clientCommand?: string | null;
  /** Called once per requirement and place, at most 1000 times. */
  readonly onViolation: (text: string) => void;
  readonly onFinding?: (finding: ObservedFinding) => void;
  readonly observer?: WatchObserver | undefined;
  /** Called at most once per batch of exchanges. */
  readonly onProgress: (progress: JudgingProgress) => void;
  /** Called when writes begin to fail, and again only after one has succeeded. */
  readonly onDiskFailure: (error: CassetteError) => void;
}

export interface WatchResult extends RecordReport {
  /** Number of states that the judge dropped to save memory, such as what it knew about an object. */
  readonly forgotten: number;
  /** Whether a secret became known only after it was judged; the redacted recording is then judged instead. */
  readonly learnedLate: boolean;
  readonly upstream: string;
  /** The report folder, if it keeps the earlier report because no traffic was seen; otherwise null. */
  readonly keptFolder: string | null;
}

interface TrafficWatch {
  readonly url: string;
  /** Stops and writes the reports; calls `onWatched` before the report is made. */
  close(onWatched: (watched: WatchResult) => void, onReport?: ReportListener): Promise<Report>;
  abandon(): Promise<void>;
}

/** Opens a proxy that records the traffic and judges it as it passes. */
export async function openWatch(rawSettings: Settings, options: WatchOptions): Promise<TrafficWatch> {
  const settings = { ...rawSettings, report: withReportJson(rawSettings.report) };
  const { observer, limits } = options;
  makeReportFolder(settings.reportDir);
  const earlierReport = readEarlierReport(settings.compareTo);
  await refuseUnmatchedGlobs(settings, options.side);
  const known = readKnownFailures(settings.baseline, options);
  const [upstream, cassette] = [parseBaseUrl(options.baseUrl).href, join(settings.reportDir, 'cassette')];
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  const earlierFiles = putProxyFilesAside(settings.reportDir);
  const began = performance.now();
  const header = headerOf(settings, upstream, dialect, options);
  const thread = beginJudging(settings, cassette, header, options);
  const { betaHeader, filters, disturbed, target } = header;
  const judgedBytes = Math.max(MIN_JUDGED_BYTES, limits.memory * MAX_RESPONSE_SHARE);
  let isLearnedLate = false;
  const { port, key, allowHosts, allowOrigins, timeout, redaction } = options;
  const recorder = await startRecorder({
    baseUrl: upstream,
    cassette,
    port,
    key,
    headers: settings.headers,
    allowHosts,
    allowOrigins,
    timeout,
    maxBytes: limits.disk,
    onFailure: options.onDiskFailure,
    maxResponseBytes: Math.min(MAX_READ_BYTES, judgedBytes),
    ...(redaction !== undefined && { redaction }),
    header: { target, dialect: header.dialect, betaHeader, filters, ...(disturbed && { disturbed }) },
    onLines: (lines) => thread.exchange(lines),
    onSettled: ({ learnedLate }) => {
      isLearnedLate = learnedLate;
      thread.end();
      return thread.finished();
    },
  }).catch(async (error) => {
    earlierFiles.restore();
    await thread.stop();
    throw error;
  });
  observer?.beginWatch(thread, recorder);
  return {
    url: recorder.url,
    abandon: async () => {
      await recorder.close().finally(async () => {
        await thread.stop();
        earlierFiles.restore();
      });
    },
    close: async (onWatched, onReport) => {
      observer?.endWatch();
      noteReactions(options.reactions, recorder, thread);
      // If the recorder cannot be closed, a running thread would keep the process alive.
      const recordReport = await recorder.close().catch(async (error) => {
        await thread.stop();
        earlierFiles.drop();
        throw error;
      });
      const { judged, forgotten, lost } = await thread.finished();
      const keepsEarlier = earlierFiles.hasReport && recordReport.recorded + recordReport.unrecorded === 0;
      const keptFolder = keepsEarlier ? settings.reportDir : null;
      const report = settings.report.filter((format) => !keepsEarlier || !isFileFormat(format));
      onWatched({ ...recordReport, forgotten, learnedLate: isLearnedLate, upstream, keptFolder });
      // The thread judged bytes that the cassette lacks, or missed exchanges that it has.
      const isOutdated = isLearnedLate || recordReport.quarantined !== null || lost > 0;
      const { side, clientCommand = null } = options;
      const reporting = reportOnWatch(
        judged,
        { cassette, dialect, isOutdated },
        {
          configuration: { ...settings, report },
          side,
          known,
          earlierReport,
          began,
          clientCommand,
          onReport,
        },
      );
      return reporting.finally(() => (keepsEarlier ? earlierFiles.restore() : earlierFiles.drop()));
    },
  };
}

/** Adds how the client reacted to disturbed responses as notes, in the recording and for the judge. */
function noteReactions(reactions: WatchOptions['reactions'], recorder: Recorder, thread: JudgeThread): void {
  for (const answer of reactions?.() ?? []) {
    const note = recorder.note({ note: 'disturbed', answer });
    if (note !== null) thread.note(note);
  }
}

/** `isOutdated`: whether the recording is judged again, because `judged` does not match it. */
async function reportOnWatch(
  judged: JudgedTrace,
  {
    cassette,
    dialect,
    isOutdated,
  }: { readonly cassette: string; readonly dialect: Dialect | null; readonly isOutdated: boolean },
  options: Omit<Parameters<typeof produceReport>[2], 'cassette'> & Pick<WatchOptions, 'side'>,
): Promise<Report> {
  return withRecordedTraffic([cassette], async (recorded) => {
    const { claim } = options.configuration;
    const judging = { dialect, side: options.side, ...claimsOf(recorded, claim) };
    const judgement = isOutdated ? await judgeRecorded(recorded, judging) : judged;
    const { report } = await produceReport(judgement, recorded, {
      ...options,
      cassette: { words: shellQuote(cassette), relative: 'cassette' },
    });
    return report;
  });
}

function headerOf(
  { only, skip, betaHeader }: Settings,
  upstream: string,
  dialect: Dialect | null,
  { key, reactions, disturbed, embedded }: WatchOptions,
): TraceHeader {
  const header = recordingHeader(upstream, {
    key: key !== null,
    filters: { only, skip },
    betaHeader,
    ...((disturbed ?? reactions) !== undefined && { disturbed: true }),
    ...(embedded === true && { target: { baseUrl: upstream, name: 'reference' } }),
  });
  return withDialect(header, dialect);
}

function beginJudging(
  { claim, dialect, extension }: Settings,
  cassette: string,
  header: TraceHeader,
  { side, violationStyle, limits, observer, onViolation, onProgress, onFinding }: WatchOptions,
): JudgeThread {
  const { finds = 'stated', claims } = claimsOf({ header }, claim);
  const listeners = observer?.listeners;
  const thread = new JudgeThread(
    {
      dialect,
      extension,
      cassette,
      side,
      violations: violationStyle.length,
      memory: limits.memory,
      finds,
      ...((observer ?? onFinding) !== undefined && { isObserved: true }),
    },
    {
      ...listeners,
      onViolation: (found) => onViolation(violationText(found, violationStyle)),
      onProgress: (progress) => {
        listeners?.onProgress?.(progress);
        onProgress(progress);
      },
      onFinding: (finding) => {
        listeners?.onFinding?.(finding);
        onFinding?.(finding);
      },
    },
  );
  thread.begin({ ...header, claims: claims ?? header.claims });
  return thread;
}

function violationText(
  { evidence, ...found }: FoundViolation,
  { width = DEFAULT_WIDTH, colours, length }: WatchOptions['violationStyle'],
): string {
  const format = length === 'full' ? violationBlock : violationLine;
  const violation = { ...found, evidence: evidence.map(unpackExchange) };
  return format(violation, { width, paint: coloursFor(colours) });
}
