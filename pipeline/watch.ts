import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { baseUrl } from '../drive/base-url.ts';
import type { Settings } from '../drive/configuration.ts';
import type { CassetteError } from '../exchange/cassette/error.ts';
import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import type { RedactorOptions } from '../exchange/redact.ts';
import { recordingHeader } from '../proxy/header.ts';
import { type Recorder, record } from '../proxy/record.ts';
import { quote } from '../reports/again.ts';
import type { Report } from '../reports/report.ts';
import { dialectOf, under } from './dialects.ts';
import type { Standing } from './judging/judge-messages.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { JudgeThread } from './judging/judge-thread.ts';
import type { ReportListener } from './live-run.ts';
import { openRecorded } from './recorded-traffic.ts';
import { knownFailures } from './report/known-failures.ts';
import { reportOf } from './report/make-report.ts';
import { reportFolder } from './report/report-folder.ts';
import { LOG_WIDTH, removeReports, writeReports } from './report/write-reports.ts';

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
  readonly onStanding: (standing: Standing) => void;
  /** Receives the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onDiskFailure: (error: CassetteError) => void;
}

/** What passed while it was watched, beside the report. */
export interface Watched {
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

export interface Watch {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** Stops, and writes the reports. `onWatched` is called before the report is made. */
  close(onWatched: (watched: Watched) => void, onReport?: ReportListener): Promise<Report>;
  /** Stops where nothing has begun: there is nothing to report. */
  abandon(): Promise<void>;
}

/** Opens a proxy whose traffic is recorded, and judged while it passes. Rejects as `record` does. */
export async function openWatch(settings: Settings, options: WatchOptions): Promise<Watch> {
  reportFolder(settings.reportDir);
  const known = knownFailures(settings.baseline, options.baselineWrite);
  const upstream = baseUrl(options.baseUrl).href;
  const cassette = join(settings.reportDir, 'cassette');
  const dialect = settings.dialect === null ? null : await dialectOf(settings.dialect);
  removeReports(settings.reportDir);
  const began = performance.now();
  const { claim } = settings;
  const isGiven = typeof claim !== 'string';
  const thread = new JudgeThread(
    {
      dialect: settings.dialect,
      cassette,
      claims: isGiven ? 'stated' : 'called',
      violations: { width: options.page.width ?? LOG_WIDTH, colours: options.page.colours },
      memory: options.most.memory,
    },
    options,
  );
  const stored = under(recordingHeader(upstream, options.key !== null), dialect);
  thread.begin({ ...stored, claims: isGiven ? { families: claim, how: 'given' } : CALLED });
  let learnedLate = false;
  const recorder = await record({
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
    onSettled: (late) => {
      learnedLate = late;
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
      const recorded = await openRecorded([cassette]);
      try {
        const { claims } = judged.header;
        const isKeptOtherwise = learnedLate || quarantined !== null;
        const last = isKeptOtherwise ? await judgeRecorded(recorded, { claims, dialect }) : judged;
        const where = { shown: quote(cassette), relative: 'cassette' };
        const made = reportOf(last, recorded, { configuration: settings, known, began, cassette: where });
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
