import type { Settings } from '../drive/configuration/configuration.ts';
import { claimedNames, parseClaims } from '../exchange/claims.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import type { JudgedSide } from '../judge/requirements/requirement.ts';
import type { Report } from '../reports/report.ts';
import { type JudgeRecordedOptions, judgeRecorded } from './judging/judge-recorded.ts';
import type { JudgedTrace } from './judging/traffic-judge.ts';
import { judgeInShares } from './partial/judge-shares.ts';
import { isPartOfPartition } from './partial/partition.ts';
import { type BaselineOutput, readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { makeReportFolder } from './report/report-folder.ts';
import type { TrafficLookup } from './report/report-options.ts';
import { isFileFormat, produceReport, type ReportListener, withReportJson } from './report/write-reports.ts';
import { dialectOfTraffic } from './setup/dialects.ts';
import { UsageError } from './setup/usage-error.ts';
import { type RecordedTraffic, withRecordedTraffic } from './traffic/recorded-traffic.ts';

export interface CheckOptions extends BaselineOutput {
  readonly side?: JudgedSide;
  /** Set to trust the marks of disturbed responses although the headers of the recordings announce none. */
  readonly disturbed?: true | undefined;
  /** The part of URLs before paths such as `/files`, for files of other recorders whose URLs lack `/v1`. */
  readonly apiRoot?: string | undefined;
  readonly jobs?: number;
  /** The recordings as shell words, for the commands in the report. Default: the paths. */
  readonly words?: string;
  /** The dialect as the commands in the report name it. Default: as the settings name it. */
  readonly printedDialect?: string | null;
  readonly onOpened?: (traffic: RecordedTraffic) => void;
  readonly onReport?: ReportListener;
}

/** Judges cassettes and files of other recorders offline as one run, and writes the reports that the settings name. */
export async function judgeRecordings(
  paths: readonly string[],
  settings: Settings,
  { side = 'server', disturbed, apiRoot, jobs = 1, onOpened, ...options }: CheckOptions = {},
): Promise<Report> {
  const part = paths.find(isPartOfPartition);
  if (part !== undefined)
    throw new UsageError(`${part} is a part of a partition: judge it with --partial, and merge all parts.`);
  const earlierReport = prepareReport(settings);
  const judge = async (recorded: RecordedTraffic): Promise<Report> => {
    onOpened?.(recorded);
    const dialect = await dialectOfTraffic(recorded.header, settings.dialect);
    const judging = { dialect, side, ...claimsOf(recorded, settings.claim) };
    // The threads open the paths again without `disturbed` and `apiRoot`, and each would import other recorders' files.
    const canShare =
      jobs > 1 && disturbed === undefined && recorded.imported.length === 0 && dialect?.hasModes !== true;
    const judged = canShare
      ? await judgeInShares(recorded, judging, { paths, jobs, settings })
      : await judgeRecorded(recorded, judging);
    const words = options.words ?? paths.map(shellQuote).join(' ');
    return writeCheckReports(judged, recorded, settings, { ...options, side, words, earlierReport });
  };
  return withRecordedTraffic(paths, judge, { ...(disturbed !== undefined && { disturbed }), apiRoot });
}

interface CheckReportOptions extends BaselineOutput, Pick<CheckOptions, 'onReport' | 'printedDialect'> {
  readonly side: JudgedSide;
  readonly words: string;
  readonly earlierReport: Report | null;
}

/** Creates the report folder if reports are written to files, and returns the report to compare with. */
export function prepareReport(settings: Settings): Report | null {
  // A check that writes no file must not leave an empty folder.
  if (settings.report.some(isFileFormat)) makeReportFolder(settings.reportDir);
  return readEarlierReport(settings.compareTo);
}

export async function writeCheckReports(
  judged: JudgedTrace,
  recorded: TrafficLookup,
  settings: Settings,
  { side, words, printedDialect = settings.dialect, earlierReport, onReport, ...output }: CheckReportOptions,
): Promise<Report> {
  const report = settings.report.some(isFileFormat) ? withReportJson(settings.report) : settings.report;
  const { report: produced } = await produceReport(judged, recorded, {
    configuration: { ...settings, dialect: printedDialect, report },
    side,
    known: readKnownFailures(settings.baseline, output),
    earlierReport,
    began: null,
    cassette: { words, relative: null },
    onReport,
  });
  return produced;
}

/**
 * Names in `claim` replace the claims of the header, which `all` keeps. With `auto`, or `all` and a header without
 * claims, the calls decide.
 */
export function claimsOf(
  { header }: Pick<RecordedTraffic, 'header'>,
  claim: Settings['claim'],
): Pick<JudgeRecordedOptions, 'claims' | 'finds'> {
  const { version } = header.claims;
  if (typeof claim !== 'string')
    return { claims: { ...parseClaims(claim), ...(version !== undefined && { version }), how: 'given' } };
  if (claim !== 'auto' && claimedNames(header.claims).length > 0) return {};
  return { claims: { families: [], how: 'auto' }, finds: 'called' };
}
