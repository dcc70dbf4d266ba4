import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Settings } from '../drive/configuration/configuration.ts';
import { parseBaseUrl } from '../drive/target/base-url.ts';
import type { Quarantined } from '../exchange/cassette/quarantine.ts';
import { claimsNamed } from '../exchange/claims.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import type { JudgedSide } from '../judge/requirements/requirement.ts';
import {
  type Recorder,
  type RecordOptions,
  type RecordReport,
  startRecorder,
} from '../proxy/record/record.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import type { Report } from '../reports/report.ts';
import { coloursFor } from '../reports/terminal/colours.ts';
import { violationLine, violationLines } from '../reports/terminal/violation.ts';
import { loadDialect, withDialect } from './dialects.ts';
import { type FoundViolation, unpackExchange } from './judging/found-violation.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { JudgeThread, type JudgeThreadListeners } from './judging/judge-thread.ts';
import type { JudgedTrace } from './judging/traffic-judge.ts';
import type { ReportListener } from './live-run.ts';
import { closeRecorder } from './proxy-sessions/close-recorder.ts';
import { makeRoomForProxy } from './report/earlier-files.ts';
import { readEarlierReport } from './report/earlier-report.ts';
import { type KnownFailures, readKnownFailures } from './report/known-failures.ts';
import { reportOfJudgedTrace } from './report/make-report.ts';
import { makeReportFolder } from './report/report-folder.ts';
import { DEFAULT_WIDTH, withReportJson, writeReports } from './report/write-reports.ts';
import { openRecordedTraffic } from './traffic/recorded-traffic.ts';
import { refuseUnmatchedGlobs } from './unmatched-globs.ts';
import type { WatchOptions } from './watch-options.ts';

/** Counts and failures of a watch that are not in its report. */
export interface WatchResult {
  /** Exchanges that are kept. */
  readonly kept: number;
  /** Exchanges that began when the bound of the disk was reached: judged, not kept. */
  readonly beyondLimit: number;
  /** Exchanges that the disk failed to keep. */
  readonly diskFailed: number;
  /** Upgraded or CONNECT connections, neither kept nor judged. */
  readonly upgraded: number;
  /** States that the judge forgot for memory. */
  readonly forgotten: number;
  /** A secret became known only after the traffic had been judged: what is kept was judged again without it. */
  readonly learnedLate: boolean;
  /** Exchanges that were not kept because a known secret in them could not be replaced; null for none. */
  readonly quarantined: Quarantined | null;
  /** Why the service answered nothing at all; null where it did, or was not asked. */
  readonly silence: string | null;
  /** The service, with `/v1`. */
  readonly upstream: string;
}

/** A running watch. */
export interface TrafficWatch {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** Stops, and writes the reports. `onWatched` is called before the report is made. */
  close(onWatched: (watched: WatchResult) => void, onReport?: ReportListener): Promise<Report>;
  /** Stops without a report, where the watch has not really begun. */
  abandon(): Promise<void>;
}

/** Opens a proxy whose traffic is recorded, and judged while it passes. Rejects as `startRecorder` does. */
export async function openWatch(given: Settings, options: WatchOptions): Promise<TrafficWatch> {
  const settings = { ...given, report: withReportJson(given.report) };
  const known = await knownBefore(settings, options);
  const [upstream, cassette] = [parseBaseUrl(options.baseUrl).href, join(settings.reportDir, 'cassette')];
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  makeRoomForProxy(settings);
  const [began, { side, clientCommand = null }] = [performance.now(), options];
  const context = { settings, side, known, dialect, upstream, cassette, clientCommand, began };
  const stored = headerOf(context, options);
  const thread = beginJudging(context, stored, options);
  const learned = { learnedLate: false };
  const recorder = await startRecorder({
    ...recordOptions(context, options),
    header: recordedFacts(stored),
    onLines: (lines) => thread.exchange(lines),
    onSettled: ({ learnedLate }) => {
      learned.learnedLate = learnedLate;
      thread.end();
      return thread.finished();
    },
  }).catch(stopAndThrow(thread));
  options.observer?.watches(thread, recorder);
  return {
    url: recorder.url,
    abandon: async () => {
      await recorder.close().finally(() => thread.stop());
    },
    close: async (onWatched, onReport) => {
      beforeEnd(options, recorder, thread);
      const closing = await closeRecorder(recorder, thread);
      const [{ judged, forgotten, lost }, { learnedLate }] = [await thread.finished(), learned];
      onWatched(watchResult(closing, { forgotten, learnedLate, upstream }));
      // The thread has judged bytes that the cassette does not contain, or has missed some that it contains.
      const isOutdated = learnedLate || closing.quarantined !== null || lost > 0;
      return publish(judged, { ...context, isOutdated, onReport });
    },
  };
}

/** Tries the report folder, and reads what the traffic is judged beside, before anything listens. */
async function knownBefore(settings: Settings, options: WatchOptions): Promise<KnownFailures> {
  makeReportFolder(settings.reportDir);
  const earlier = readEarlierReport(settings.compareTo);
  await refuseUnmatchedGlobs(settings);
  return { ...readKnownFailures(settings.baseline, options), earlier };
}

/** Says that no more traffic is taken, and notes the reactions of the client, in the recording and for the judge. */
function beforeEnd({ observer, reactions }: WatchOptions, recorder: Recorder, thread: JudgeThread): void {
  observer?.ends();
  for (const answer of reactions?.() ?? []) {
    const note = recorder.note({ note: 'disturbed', answer });
    if (note !== null) thread.note(note);
  }
}

/** The header of the recorded traffic: what the settings say about judging it is part of it. */
function headerOf(
  { settings, upstream, dialect }: WatchContext,
  { key, reactions, disturbed, embedded }: WatchOptions,
): TraceHeader {
  const { only, skip, betaHeader } = settings;
  const header = recordingHeader(upstream, {
    ...{ key: key !== null, filters: { only, skip }, betaHeader },
    ...((disturbed ?? reactions) !== undefined && { disturbed: true }),
    ...(embedded === true && { target: { baseUrl: upstream, name: 'reference' } }),
  });
  return withDialect(header, dialect);
}

/** The part of the header that only the settings know. */
function recordedFacts(header: TraceHeader): Partial<TraceHeader> {
  const { dialect, betaHeader, filters, disturbed, target } = header;
  return { target, dialect, betaHeader, filters, ...(disturbed === true && { disturbed }) };
}

/** The counts of a recorder that was closed, with those of its watch. */
function watchResult(
  { recorded: kept, beyondLimit, diskFailed, upgraded, unreachable: silence, quarantined }: RecordReport,
  watched: Pick<WatchResult, 'forgotten' | 'learnedLate' | 'upstream'>,
): WatchResult {
  return { kept, beyondLimit, diskFailed, upgraded, silence, quarantined, ...watched };
}

/** Values that are fixed when a watch begins. */
interface WatchContext {
  readonly settings: Settings;
  readonly side: JudgedSide;
  readonly known: KnownFailures;
  readonly dialect: Dialect | null;
  /** The service, with `/v1`. */
  readonly upstream: string;
  /** Folder of the cassette. */
  readonly cassette: string;
  readonly clientCommand: string | null;
  /** By `performance.now()`. */
  readonly began: number;
}

/** Ends the judging thread where the recorder could not start, and passes the error on. */
function stopAndThrow(thread: JudgeThread): (error: unknown) => Promise<never> {
  return async (error) => {
    await thread.stop();
    throw error;
  };
}

/** The claims of traffic that is not a run: families join when one of their operations is called. */
const CALLED = { families: [], how: 'auto' } as const;

function beginJudging(
  { settings, cassette }: WatchContext,
  header: TraceHeader,
  options: WatchOptions,
): JudgeThread {
  const { claim, dialect } = settings;
  const isGiven = typeof claim !== 'string';
  const thread = new JudgeThread(
    {
      dialect,
      extension: settings.extension,
      cassette,
      side: options.side,
      finds: isGiven ? 'stated' : 'called',
      violations: options.page.length,
      memory: options.most.memory,
      ...((options.observer ?? options.onFinding) !== undefined && { observed: true }),
    },
    listenersOf(options),
  );
  thread.begin({ ...header, claims: isGiven ? { ...claimsNamed(claim), how: 'given' } : CALLED });
  return thread;
}

/** The listeners of the judging thread: those of the caller, and those that count. */
function listenersOf({
  page,
  onViolation,
  onStanding,
  onFinding,
  observer,
}: WatchOptions): JudgeThreadListeners {
  const counting = observer?.listeners();
  return {
    onViolation: (found) => onViolation(violationText(found, page)),
    onStanding: (progress) => {
      counting?.onStanding?.(progress);
      onStanding(progress);
    },
    onFinding: (finding) => {
      counting?.onFinding?.(finding);
      onFinding?.(finding);
    },
    ...(counting?.onMeasures !== undefined && { onMeasures: counting.onMeasures }),
  };
}

/** A violation in words. */
function violationText(
  { requirement, violation, exchange, evidence }: FoundViolation,
  { width = DEFAULT_WIDTH, colours, length }: WatchOptions['page'],
): string {
  const words = length === 'full' ? violationLines : violationLine;
  const named = exchange === null ? violation : { ...violation, exchange };
  return words(requirement, named, evidence.map(unpackExchange), { width, paint: coloursFor(colours) });
}

/**
 * The settings as options of the recorder. It writes into the report folder, so that `assay check` finds the
 * traffic.
 */
function recordOptions({ settings, upstream, cassette }: WatchContext, options: WatchOptions): RecordOptions {
  const { port, key, allowHosts, allowOrigins, timeout, redaction, most, onDiskFailure } = options;
  return {
    ...{ baseUrl: upstream, cassette, port, key, headers: settings.headers },
    ...{ allowHosts, allowOrigins, timeout, most: most.disk, onFailure: onDiskFailure },
    ...(redaction !== undefined && { redaction }),
  };
}

/** Makes and writes the reports; judges the cassette again where the judgement is outdated. */
async function publish(
  judged: JudgedTrace,
  about: WatchContext & { readonly isOutdated: boolean; readonly onReport: ReportListener | undefined },
): Promise<Report> {
  const { settings, side, known, began, dialect, clientCommand, isOutdated, onReport } = about;
  const recorded = await openRecordedTraffic([about.cassette]);
  try {
    const { claims } = judged.header;
    const last = isOutdated ? await judgeRecorded(recorded, { claims, dialect, side }) : judged;
    const cassette = { words: shellQuote(about.cassette), relative: 'cassette' };
    const made = reportOfJudgedTrace(last, recorded, {
      configuration: settings,
      side,
      known,
      began,
      cassette,
      clientCommand,
    });
    const written = await writeReports(made, settings);
    onReport?.(made, written, settings);
    return made.report;
  } finally {
    recorded.close();
  }
}
