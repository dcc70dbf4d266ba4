import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseBaseUrl } from '../drive/configuration/base-url.ts';
import type { Settings } from '../drive/configuration/configuration.ts';
import type { CassetteError } from '../exchange/cassette/folder.ts';
import { claimsNamed } from '../exchange/claims.ts';
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import { LARGEST_READ } from '../exchange/http/body.ts';
import type { RedactorOptions } from '../exchange/redaction/redactor.ts';
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
import { violationLine, violationLines } from '../reports/terminal/exchange.ts';
import { coloursFor } from '../reports/words/layout.ts';
import { type FoundViolation, unpackExchange } from './judging/judge-messages.ts';
import { judgeRecorded } from './judging/judge-recorded.ts';
import { JudgeThread, type JudgeThreadListeners } from './judging/judge-thread.ts';
import type { JudgedTrace, JudgingProgress } from './judging/traffic-judge.ts';
import type { WatchObserver } from './metrics/watch-observer.ts';
import type { ObservedFinding } from './observation/observed-traffic.ts';
import { makeReportFolder, makeRoomForProxy } from './report/earlier-files.ts';
import { type BaselineOutput, type KnownFailures, readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { DEFAULT_WIDTH, publishReport, type ReportListener, withReportJson } from './report/write-reports.ts';
import { loadDialect, withDialect } from './setup/dialects.ts';
import { refuseUnmatchedGlobs } from './setup/unmatched-globs.ts';
import { withRecordedTraffic } from './traffic/recorded-traffic.ts';

export interface WatchResult extends RecordReport {
  /** Number of keyed states dropped to save memory. */
  readonly forgotten: number;
  /** A secret became known after the traffic was judged, so the stored traffic was judged again without it. */
  readonly learnedLate: boolean;
  readonly upstream: string;
}

interface TrafficWatch {
  readonly url: string;
  /** Stops and writes the reports; calls `onWatched` before the report is made. */
  close(onWatched: (watched: WatchResult) => void, onReport?: ReportListener): Promise<Report>;
  abandon(): Promise<void>;
}

/** Opens a proxy that records the traffic and judges it as it passes. Rejects as `startRecorder` does. */
export async function openWatch(given: Settings, options: WatchOptions): Promise<TrafficWatch> {
  const settings = { ...given, report: withReportJson(given.report) };
  makeReportFolder(settings.reportDir);
  const earlier = readEarlierReport(settings.compareTo);
  await refuseUnmatchedGlobs(settings);
  const known = { ...readKnownFailures(settings.baseline, options), earlier };
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
  }).catch(async (error) => {
    await thread.stop();
    throw error;
  });
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
      onWatched({ ...closing, forgotten, learnedLate, upstream });
      // The thread judged bytes that the cassette lacks, or missed some that it has.
      const isOutdated = learnedLate || closing.quarantined !== null || lost > 0;
      return publish(judged, { ...context, isOutdated, onReport });
    },
  };
}

/** The reactions of the client become notes of the recording and for the judge. */
function beforeEnd({ observer, reactions }: WatchOptions, recorder: Recorder, thread: JudgeThread): void {
  observer?.ends();
  for (const answer of reactions?.() ?? []) {
    const note = recorder.note({ note: 'disturbed', answer });
    if (note !== null) thread.note(note);
  }
}

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

function recordedFacts(header: TraceHeader): Partial<TraceHeader> {
  const { dialect, betaHeader, filters, disturbed, target } = header;
  return { target, dialect, betaHeader, filters, ...(disturbed === true && { disturbed }) };
}

interface WatchContext {
  readonly settings: Settings;
  readonly side: JudgedSide;
  readonly known: KnownFailures;
  readonly dialect: Dialect | null;
  readonly upstream: string;
  readonly cassette: string;
  readonly clientCommand: string | null;
  readonly began: number;
}

/** Traffic that is not a run: a family is claimed once one of its operations is called. */
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

function violationText(
  { requirement, violation, exchange, evidence }: FoundViolation,
  { width = DEFAULT_WIDTH, colours, length }: WatchOptions['page'],
): string {
  const words = length === 'full' ? violationLines : violationLine;
  const named = exchange === null ? violation : { ...violation, exchange };
  return words(requirement, named, evidence.map(unpackExchange), { width, paint: coloursFor(colours) });
}

/**
 * A response is judged only if it takes at most this share of the memory for the judge: it is held several times, as bytes
 * and as values.
 */
const SHARE = 8;
/** Bytes of a response that any limit leaves room for. */
const LEAST_JUDGED = 4 * 1024 * 1024;

/**
 * The settings as options of the recorder. It writes into the report folder, so that `assay check` finds the
 * traffic.
 */
function recordOptions({ settings, upstream, cassette }: WatchContext, options: WatchOptions): RecordOptions {
  const { port, key, allowHosts, allowOrigins, timeout, redaction, most, onDiskFailure } = options;
  return {
    ...{ baseUrl: upstream, cassette, port, key, headers: settings.headers },
    ...{ allowHosts, allowOrigins, timeout, most: most.disk, onFailure: onDiskFailure },
    judged: Math.min(LARGEST_READ, Math.max(LEAST_JUDGED, most.memory / SHARE)),
    ...(redaction !== undefined && { redaction }),
  };
}

async function publish(
  judged: JudgedTrace,
  about: WatchContext & { readonly isOutdated: boolean; readonly onReport: ReportListener | undefined },
): Promise<Report> {
  const { settings, side, known, began, dialect, clientCommand, isOutdated, onReport } = about;
  return withRecordedTraffic([about.cassette], async (recorded) => {
    const { claims } = judged.header;
    const last = isOutdated ? await judgeRecorded(recorded, { claims, dialect, side }) : judged;
    const cassette = { words: shellQuote(about.cassette), relative: 'cassette' };
    const options = { configuration: settings, side, known, began, cassette, clientCommand, onReport };
    return (await publishReport(last, recorded, options)).report;
  });
}

export interface WatchOptions extends BaselineOutput {
  readonly baseUrl: string;
  /** The embedded reference is the service, and its address will be gone. */
  readonly embedded?: true | undefined;
  readonly side: JudgedSide;
  readonly port: number;
  readonly timeout: number;
  readonly redaction?: RedactorOptions;
  /** Replaces the client's key; null to forward that. */
  readonly key: string | null;
  /** Clients that may use the proxy when it adds credentials: see `RecordOptions`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /**
   * `disturbed`: a disturber elsewhere marks the responses that it disturbs. `reactions`: how the client reacted to
   * this command's own.
   */
  readonly disturbed?: true | undefined;
  readonly reactions?: (() => readonly DisturbedAnswer[]) | undefined;
  /** Bytes on disk, and bytes of memory that the judge may hold. */
  readonly most: { readonly disk: number; readonly memory: number };
  readonly page: {
    readonly width: number | undefined;
    readonly colours: 'on' | 'off';
    /** `line` if the report at the end shows them in full. */
    readonly length: 'full' | 'line';
  };
  readonly clientCommand?: string | null;
  /** Called once per requirement and place. */
  readonly onViolation: (text: string) => void;
  readonly onFinding?: (finding: ObservedFinding) => void;
  readonly observer?: WatchObserver | undefined;
  /** At most once per batch of exchanges. */
  readonly onStanding: (progress: JudgingProgress) => void;
  /** Called when writes begin to fail, and again only after one has succeeded. */
  readonly onDiskFailure: (error: CassetteError) => void;
}

/** If closing fails, also stops the thread, which would keep the process alive. */
async function closeRecorder(recorder: Recorder, thread: JudgeThread): ReturnType<Recorder['close']> {
  try {
    return await recorder.close();
  } catch (error) {
    await thread.stop();
    throw error;
  }
}
