import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Settings } from '../drive/configuration/configuration.ts';
import { parseBaseUrl } from '../drive/target/base-url.ts';
import type { CassetteError } from '../exchange/cassette/error.ts';
import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import type { RedactorOptions } from '../exchange/redaction/redactor.ts';
import { type Recorder, startRecorder } from '../proxy/record/record.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import type { Report } from '../reports/report.ts';
import { loadDialect, withDialect } from './dialects.ts';
import type { JudgingProgress } from './judging/judge-messages.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { ReportListener } from './live-run.ts';
import { openRecordedTraffic } from './recorded-traffic.ts';
import { readKnownFailures } from './report/known-failures.ts';
import { reportOfJudgedTrace } from './report/make-report.ts';
import { makeReportFolder } from './report/report-folder.ts';
import { DEFAULT_WIDTH, removeReports, writeReports } from './report/write-reports.ts';

export interface WatchOptions {
  readonly baseUrl: string;
  readonly port: number;
  /** Seconds; 0 for never. */
  readonly timeout: number;
  /** What the recording keeps out. */
  readonly redaction?: RedactorOptions;
  readonly key: string | null;
  /** Clients that may use the proxy where it adds credentials: see `RecordOptions`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** File for a baseline of what is broken. */
  readonly baselineWrite: string | undefined;
  /** Bytes that are kept on the disk, and that the judge may hold in memory. */
  readonly most: { readonly disk: number; readonly memory: number };
  /** How violations are printed. */
  readonly page: { readonly width: number | undefined; readonly colours: 'on' | 'off' };
  readonly onViolation: (text: string) => void;
  readonly onStanding: (progress: JudgingProgress) => void;
  /** Receives the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onDiskFailure: (error: CassetteError) => void;
}

/** What passed while it was watched, beside the report. */
export interface WatchResult {
  /** Exchanges that are kept, and those that passed beyond the bound of the disk. */
  readonly kept: number;
  readonly passed: number;
  /** Upgraded or CONNECT connections, neither kept nor judged. */
  readonly upgraded: number;
  /** States that the judge forgot for memory. */
  readonly forgotten: number;
  /** A secret became known only after the traffic had been judged: what is kept was judged again without it. */
  readonly learnedLate: boolean;
  /** Exchanges that were left out of what is kept because of a known secret; null where there are none. */
  readonly quarantined: Quarantined | null;
  /** Why the service answered nothing at all; null where it did, or was not asked. */
  readonly silence: string | null;
  /** The service, with `/v1`. */
  readonly upstream: string;
}

export interface TrafficWatch {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** Stops, and writes the reports. `onWatched` is called before the report is made. */
  close(onWatched: (watched: WatchResult) => void, onReport?: ReportListener): Promise<Report>;
  /** Stops where nothing has begun: there is nothing to report. */
  abandon(): Promise<void>;
}

/** Opens a proxy whose traffic is recorded, and judged while it passes. Rejects as `record` does. */
export async function openWatch(settings: Settings, options: WatchOptions): Promise<TrafficWatch> {
  makeReportFolder(settings.reportDir);
  const known = readKnownFailures(settings.baseline, options.baselineWrite);
  const upstream = parseBaseUrl(options.baseUrl).href;
  const cassette = join(settings.reportDir, 'cassette');
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  removeReports(settings.reportDir);
  const began = performance.now();
  const { claim } = settings;
  const isGiven = typeof claim !== 'string';
  const thread = new JudgeThread(
    {
      dialect: settings.dialect,
      cassette,
      claims: isGiven ? 'stated' : 'called',
      violations: { width: options.page.width ?? DEFAULT_WIDTH, colours: options.page.colours },
      memory: options.most.memory,
    },
    options,
  );
  const stored = withDialect(recordingHeader(upstream, { key: options.key !== null }), dialect);
  thread.begin({ ...stored, claims: isGiven ? { families: claim, how: 'given' } : CALLED });
  let learnedLate = false;
  const recorder = await startRecorder({
    baseUrl: upstream,
    cassette,
    port: options.port,
    key: options.key,
    headers: settings.headers,
    allowHosts: options.allowHosts,
    allowOrigins: options.allowOrigins,
    timeout: options.timeout,
    ...(options.redaction !== undefined && { redaction: options.redaction }),
    header: { dialect: stored.dialect, betaHeader: stored.betaHeader },
    most: options.most.disk,
    onFailure: options.onDiskFailure,
    onLines: (lines) => thread.exchange(lines),
    onSettled: (learned) => {
      ({ learnedLate } = learned);
      thread.end();
      return thread.finished();
    },
  }).catch(async (error: unknown) => {
    await thread.stop();
    throw error;
  });
  return {
    url: recorder.url,
    abandon: async () => {
      await recorder.close().finally(() => thread.stop());
    },
    close: async (onWatched, onReport) => {
      const closing = await closed(recorder, thread);
      const { recorded: kept, unrecorded, upgraded, unreachable: silence, quarantined } = closing;
      const { judged, forgotten } = await thread.finished();
      const passed = unrecorded - upgraded;
      onWatched({ kept, passed, upgraded, forgotten, learnedLate, quarantined, silence, upstream });
      const recorded = await openRecordedTraffic([cassette]);
      try {
        const { claims } = judged.header;
        const isKeptOtherwise = learnedLate || quarantined !== null;
        const last = isKeptOtherwise ? await judgeRecorded(recorded, { claims, dialect }) : judged;
        const where = { shown: shellQuote(cassette), relative: 'cassette' };
        const made = reportOfJudgedTrace(last, recorded, {
          configuration: settings,
          known,
          began,
          cassette: where,
        });
        const written = await writeReports(made, settings);
        onReport?.(made, written, settings);
        return made.report;
      } finally {
        recorded.close();
      }
    },
  };
}

const CALLED = { families: [], how: 'auto' } as const;

async function closed(recorder: Recorder, thread: JudgeThread): ReturnType<Recorder['close']> {
  try {
    return await recorder.close();
  } catch (error) {
    await thread.stop();
    throw error;
  }
}
